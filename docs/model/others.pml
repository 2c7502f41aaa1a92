/* Everybody who is no run of sign. */

#if METHOD == LacunaSigner
/* Poll asks about parked jobs. Between its question and what it makes of the answer, the job may go on. */
active proctype Poll() {
	byte j;
	mtype:remote said = Nothing; /* Nothing: no answer */

end: do
	:: atomic { PARKED(0) -> j = 0; if :: said = document[j] :: FAULTY fi; break }
	:: atomic { PARKED(1) -> j = 1; if :: said = document[j] :: FAULTY fi; break }
	od;
	atomic {
		if
		:: !PARKED(j)
		:: PARKED(j) && said == Nothing -> unanswered(j)
		:: PARKED(j) && said == Concluded -> ring(j)
		:: PARKED(j) && said == Ended -> finish(j, Failed)
		:: PARKED(j) && said == Pending -> finish(j, Failed) /* Signer:TimeoutHours have passed */
		:: PARKED(j) && said == Pending && FAULTY -> job[j].failures = 0 /* they have not; Signer answers again */
		fi;
		j = 0; said = Nothing
	}
	goto end
}
#endif

/* Clock ends claims: after the run that made them, and after the runs that were at work already when they were made,
 * since invocations last equally long at most and a claim outlives its own. BEYOND drops that. */
#ifdef BEYOND
#define OVER(i) (job[i].owner != NOBODY && !job[i].ended)
#else
#define OVER(i) (job[i].owner == LEFT && job[i].elders == 0 && !job[i].ended)
#endif

active proctype Clock() {
end: do
	:: atomic { OVER(0) -> job[0].ended = true; job[0].elders = 0 }
	:: atomic { OVER(1) -> job[1].ended = true; job[1].elders = 0 }
	od
}

#ifdef LIVENESS
#define MAY_STOP :: break /* nobody is forced to act */
#else
#define MAY_STOP
#endif

#if METHOD != Local
/* People sign or refuse; a document in a folder moves on without us. */
active proctype People() {
end: do
#if METHOD == LacunaSigner
	:: atomic { document[0] == Pending -> if :: document[0] = Concluded :: document[0] = Ended fi }
	:: atomic { document[1] == Pending -> if :: document[1] = Concluded :: document[1] = Ended fi }
#else
	:: atomic { action == Waiting -> action = Moved }
#endif
	MAY_STOP
	od
}
#endif

/* Retriable is what has failed or was withdrawn. That one retry makes one job is the transaction's to see to. */
#define RETRIABLE (job[0].status == Failed || job[0].status == Canceled && METHOD == SignerFolder)
#define CANCELABLE(i) (job[i].status == Queued || job[i].status == AwaitingSigner)

active proctype Operator() {
end: do
	:: atomic { CANCELABLE(0) -> finish(0, Canceled) }
	:: atomic { CANCELABLE(1) -> finish(1, Canceled) }
	:: atomic { RETRIABLE && job[1].status == None -> job[1].status = Queued; if :: ring(1) :: FAULTY fi }
	MAY_STOP
	od
}

#ifdef LIVENESS
/* Recover rings for what nobody looks after. */
#ifdef BUG_NO_RECOVERY
#define DUE(i) (job[i].status == Queued)
#else
#define DUE(i) (job[i].status == Queued || job[i].ended || FETCHABLE(i) && job[i].status == Verifying)
#endif

active proctype Recover() {
end: do
	:: atomic { !bell[0] && DUE(0) -> ring(0) }
	:: atomic { !bell[1] && DUE(1) -> ring(1) }
	od
}

/* Losses takes messages away. */
active proctype Losses() {
end: do
	:: atomic { FAULTY && bell[0] -> bell[0] = false }
	:: atomic { FAULTY && bell[1] -> bell[1] = false }
	od
}

/* Calm comes some day, or never. */
active proctype Weather() { calm = true }
#endif
