# make          everything that a change must pass
# make run      the whole service on this machine; ONCE=1 ends by itself
# make test     all tests with the race detector
# make load     the whole service on this machine under load and faults, and whether it kept its promises
# make soak     the same for half an hour, with processes of every function killed all the time; FOR=5m is shorter
# make curve    how many files a second the service on this machine follows, and what has none left then
# make model    whether the model of a job's life keeps its promises, and finds deliberate faults
# make permissions   what each function may do beside what it does, in a run of the service on this machine
# make cost     what a document costs, by method, and a month without one
# make conformance   signs real and odd files and has outsiders judge them
# make mutants  deliberate faults, each of which the simulation must find
# make prove    schedules searched for a counter-example to the promises, the faults and the model; SHORT=1 is the bounded run
# make diff     what a deployment would change, in words; OLD=template.json needs no account
# make deploy   deploys the stack, unless data would be lost; CONTEXT='-c key=value …' as infra/README.md tells
# make destroy  removes the stack; table and buckets stay unless KEEP=false
# make release  the functions as zip files, with sums, bills of materials, licences and what was checked; VERSION=v1.2.3
# make pictures      takes the pictures of docs/console.md anew
GO        ?= go
FUNCTIONS := sign poll sweep recover api notify
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
export GOFLAGS ?= -buildvcs=false

.PHONY: permissions cost all run load soak curve test prove mutants model conformance vet staticcheck fmt build synth diff deploy destroy release node credentials bench pictures clean

all: fmt vet staticcheck test

run: ## DATA=folder keeps its data there
	$(GO) run ./scripts/local $(if $(ONCE),-once) $(if $(DATA),-data "$(DATA)")

load: ## LOAD='-kind notifications -rate 200 -for 20s' changes what is done
	$(GO) run ./scripts/load $(LOAD)

soak: ## FOR=5m, RATE=5, KILLS='sign=10s,api=30s', SEED=7 (one is drawn without); UPDATE=1 writes docs/performance.md
	$(GO) run ./scripts/load -for $(or $(FOR),30m) -rate $(or $(RATE),10) -kills $(or $(KILLS),20s) -seed $(or $(SEED),0) -wait 15m -sample 300 $(if $(UPDATE),-update)

RATES ?= 5,10,20,40,80,160
curve: ## RATES=5,10,20 and FOR=30s at each; UPDATE=1 writes docs/performance.md
	$(GO) run ./scripts/load -curve $(RATES) -for $(or $(FOR),30s) $(if $(UPDATE),-update)

test: vet ## NO_SKIP=1 turns what is skipped into a failure
	BULKSIGNER_NO_SKIP=$(NO_SKIP) $(GO) run ./scripts/test

prove: ## SHORT=1 takes minutes, UPDATE=1 writes the figures of the long run into docs/reliability.md
	$(GO) run ./scripts/prove $(if $(SHORT),-short) $(if $(UPDATE),-update)

mutants: ## a fault is found where a schedule breaks a promise
	$(GO) run ./scripts/prove -only mutants

permissions: ## WRITE=1 writes docs/permissions.md instead of comparing it; NO_SKIP=1 turns missing Node.js into a failure
	BULKSIGNER_NO_SKIP=$(NO_SKIP) $(GO) run ./scripts/permissions $(if $(WRITE),-write)

cost: ## COUNT=1 counts anew, which takes some minutes; WRITE=1 writes docs/cost.md and the counts in docs/performance.md
	$(GO) run ./scripts/cost $(if $(COUNT),-count) $(if $(WRITE),-write)

vet:
	$(GO) vet ./...

fmt:
	@test -z "$$(gofmt -l functions internal scripts infra)" || { gofmt -l functions internal scripts infra; echo "run gofmt -w on these"; exit 1; }

staticcheck:
	$(GO) run $(STATICCHECK) ./...
	$(GO) run $(STATICCHECK) -tags pkcs11 ./internal/pkcs11

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
STAMP   := -X bulksigner/internal/app.version=$(VERSION)
CDK     ?= npx --yes aws-cdk@2
GONE := $(if $(filter false,$(KEEP)),-c keep=false)

build: $(FUNCTIONS:%=dist/%/bootstrap)

# The deployment's binaries. Each carries the settings beside it.
dist/%/bootstrap: FORCE
	@mkdir -p dist/$*
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build -trimpath -tags lambda.norpc -ldflags "-s -w $(STAMP)" -o $@ ./functions/$*
	cp $(firstword $(wildcard settings.json) settings.example.json) dist/$*/settings.json

model: ## asks docs/model with Spin; NO_SKIP=1 turns a checker that is not there into a failure
	BULKSIGNER_NO_SKIP=$(NO_SKIP) $(GO) run ./scripts/model

conformance: ## CORPUS=folder signs the files of that folder instead
	$(GO) run ./scripts/conformance $(if $(CORPUS),-corpus $(CORPUS))

synth: build ## CONTEXT='-c key=value …' chooses
	context="$$($(GO) run ./scripts/diff -context infra/cdk.json -- $(CONTEXT) $(GONE))" && \
		cd infra && CDK_CONTEXT_JSON="$$context" CDK_OUTDIR=cdk.out $(GO) run .

diff: node synth ## OLD=template.json compares with a file instead of the account's stack
	@$(GO) run ./scripts/diff $(if $(OLD),-old "$(OLD)")

deploy: node credentials synth ## LOSS=accepted deploys though data is lost, YES=1 asks nothing
	$(GO) run ./scripts/diff $(if $(filter accepted,$(LOSS)),,-stop)
	cd infra && $(CDK) deploy --app cdk.out --require-approval $(if $(YES),never,broadening)

# What a stack leaves behind is in its deployed template, so that a stack that is to leave nothing is deployed once more.
destroy: node credentials synth ## CONFIRM=name is not asked for; KEEP=false removes the table and empty buckets too
	@name="$$($(GO) run ./scripts/diff -name)" && typed='$(CONFIRM)' && \
	if [ -z "$$typed" ]; then printf 'The name of the stack that is to be removed (%s): ' "$$name"; read -r typed; fi; \
	[ "$$typed" = "$$name" ] || { echo "destroy: that is not $$name; nothing was done"; exit 1; }
	$(if $(GONE),cd infra && $(CDK) deploy --app cdk.out --require-approval never)
	@$(GO) run ./scripts/diff -left > infra/cdk.out/left.txt
	cd infra && $(CDK) destroy --app cdk.out --force
	@cat infra/cdk.out/left.txt

node:
	@command -v npx >/dev/null || { echo "Node.js is missing, in which the CDK runs: install Node.js 22 or later (package nodejs)"; exit 1; }

credentials:
	@$(GO) run ./scripts/diff -ready

release: ## NO_SKIP=1 turns a check that could not be made into a failure
	BULKSIGNER_NO_SKIP=$(NO_SKIP) $(GO) run ./scripts/release -version '$(VERSION)'

bench: ## what docs/performance.md tells: our own cost, cold starts, and the same work beside peers
	$(GO) test -run '^$$' -bench . -benchmem ./internal/workflow ./internal/sign/... ./internal/verify ./internal/aws/...
	$(GO) test -run '^$$' -bench ColdStart ./scripts/local
	cd scripts/bench && $(GO) run .

pictures: ## in Chromium, of the whole service on this machine
	$(GO) test ./internal/console/browser -count 1 -run TestScreenshots -update

clean:
	rm -rf dist .local infra/cdk.out

FORCE:
