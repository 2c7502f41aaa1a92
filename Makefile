# make          everything that a change must pass
# make run      the whole service on this machine; ONCE=1 ends by itself
# make test     all tests with the race detector
# make load     the whole service on this machine under load and faults, and whether it kept its promises
# make model    whether the model of a job's life keeps its promises, and finds deliberate faults
# make conformance   signs real and odd files and has outsiders judge them
# make mutants  deliberate faults, each of which the simulation must find
GO        ?= go
FUNCTIONS := sign poll sweep recover api notify
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
export GOFLAGS ?= -buildvcs=false

.PHONY: all run load test model conformance vet staticcheck fmt build synth bench clean

all: fmt vet staticcheck test

run: ## DATA=folder keeps its data there
	$(GO) run ./scripts/local $(if $(ONCE),-once) $(if $(DATA),-data "$(DATA)")

load: ## LOAD='-kind notifications -rate 200 -for 20s' changes what is done
	$(GO) run ./scripts/load $(LOAD)

test: vet ## NO_SKIP=1 turns what is skipped into a failure
	BULKSIGNER_NO_SKIP=$(NO_SKIP) $(GO) run ./scripts/test

MUTANTS := $(patsubst internal/simulation/%.go,%,$(wildcard internal/simulation/mutant_*.go))

mutants: ## a fault is found where a schedule is printed that breaks a promise
	@for m in $(MUTANTS); do \
		found="$$($(GO) test -vet=off -failfast -count=1 -run TestExplore -tags $$m ./internal/simulation 2>&1)"; \
		echo "$$found" | grep -q 'again with: -simulation' || { echo "$$m is not found"; echo "$$found"; exit 1; }; \
		echo "$$m is found: $$(echo "$$found" | grep -m 1 -A 1 'simulation_test.go.*: .*: ' | sed 's/.*simulation_test.go:[0-9]*: //' | tr -s ' \n' ' ')"; \
	done

vet:
	$(GO) vet ./...

fmt:
	@test -z "$$(gofmt -l functions internal scripts infra)" || { gofmt -l functions internal scripts infra; echo "run gofmt -w on these"; exit 1; }

staticcheck:
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(STATICCHECK) -tags pkcs11 ./internal/pkcs11

build: $(FUNCTIONS:%=dist/%/bootstrap)

# The deployment's binaries. Each carries the settings beside it.
dist/%/bootstrap: FORCE
	@mkdir -p dist/$*
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build -trimpath -tags lambda.norpc -ldflags "-s -w" -o $@ ./functions/$*
	cp $(firstword $(wildcard settings.json) settings.example.json) dist/$*/settings.json

model: ## asks docs/model with Spin; NO_SKIP=1 turns a checker that is not there into a failure
	BULKSIGNER_NO_SKIP=$(NO_SKIP) $(GO) run ./scripts/model

conformance: ## CORPUS=folder signs the files of that folder instead
	$(GO) run ./scripts/conformance $(if $(CORPUS),-corpus $(CORPUS))

synth: build
	cd infra && CDK_OUTDIR=cdk.out $(GO) run .

bench: ## what docs/performance.md tells: our own cost, cold starts, and the same work beside peers
	$(GO) test -run '^$$' -bench . -benchmem ./internal/workflow ./internal/sign/... ./internal/verify ./internal/aws/...
	$(GO) test -run '^$$' -bench ColdStart ./scripts/local
	cd scripts/bench && $(GO) run .

clean:
	rm -rf dist .local infra/cdk.out

FORCE:
