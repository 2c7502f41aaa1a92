package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
)

// removal says what becomes of what holds data when the stack goes. Buckets are never emptied: CloudFormation refuses to
// delete one that holds anything, and nothing in the account is given the right to delete every version of every document.
func (s *service) removal() awscdk.RemovalPolicy {
	if s.options.Gone {
		return awscdk.RemovalPolicy_DESTROY
	}
	return awscdk.RemovalPolicy_RETAIN
}

// usualLogDays is half a year, as article 15 of the Marco Civil da Internet asks of the logs of an application.
const usualLogDays = 180

// retentions are the times for which CloudWatch keeps logs.
var retentions = map[int]awslogs.RetentionDays{
	1: awslogs.RetentionDays_ONE_DAY, 3: awslogs.RetentionDays_THREE_DAYS, 5: awslogs.RetentionDays_FIVE_DAYS,
	7: awslogs.RetentionDays_ONE_WEEK, 14: awslogs.RetentionDays_TWO_WEEKS, 30: awslogs.RetentionDays_ONE_MONTH,
	60: awslogs.RetentionDays_TWO_MONTHS, 90: awslogs.RetentionDays_THREE_MONTHS, 120: awslogs.RetentionDays_FOUR_MONTHS,
	150: awslogs.RetentionDays_FIVE_MONTHS, 180: awslogs.RetentionDays_SIX_MONTHS, 365: awslogs.RetentionDays_ONE_YEAR,
	400: awslogs.RetentionDays_THIRTEEN_MONTHS, 545: awslogs.RetentionDays_EIGHTEEN_MONTHS, 731: awslogs.RetentionDays_TWO_YEARS,
	1096: awslogs.RetentionDays_THREE_YEARS, 1827: awslogs.RetentionDays_FIVE_YEARS, 2192: awslogs.RetentionDays_SIX_YEARS,
	2557: awslogs.RetentionDays_SEVEN_YEARS, 2922: awslogs.RetentionDays_EIGHT_YEARS, 3288: awslogs.RetentionDays_NINE_YEARS,
	3653: awslogs.RetentionDays_TEN_YEARS,
}

// logDays reads how long logs are kept.
func (r *optionReader) logDays(key string) int {
	s := r.text(key, strconv.Itoa(usualLogDays), nil)
	n, err := strconv.Atoi(s)
	if _, ok := retentions[n]; err != nil || !ok {
		days := strings.Trim(fmt.Sprint(slices.Sorted(maps.Keys(retentions))), "[]")
		r.fault(key, "CloudWatch keeps logs for one of these numbers of days, and for no other: "+strings.ReplaceAll(days, " ", ", "))
	}
	return n
}

func (s *service) newLogGroup(id string) awslogs.LogGroup {
	return awslogs.NewLogGroup(s.stack, &id, &awslogs.LogGroupProps{
		Retention: retentions[s.options.LogDays], RemovalPolicy: s.removal(),
	})
}
