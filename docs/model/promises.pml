/* How it begins, what holds in every state, and how it ends. */

init { job[0].status = Queued }

#define ONCE(i)      (asked[i] <= 1 && documents[i] <= 1 && handed[i] <= 1)
#define NOT_AGAIN(i) (job[i].status != Queued || asked[i] == 0)
/* A SignerFolder job past its key that is not in Verifying has handed nothing over. */
#define NOTED(i)     (job[i].status != Processing || handed[i] == 0)
#define DONE(i)      (job[i].status != Completed || (METHOD == SignerFolder -> action == Done : output == i + 1))
/* Whoever reads that a job did not succeed finds nothing published by it, and of one that moved on nothing handed over. */
#define HONEST(i)    ((job[i].status != Failed && job[i].status != Canceled || output != i + 1) && \
	(job[i].status != Canceled || handed[i] == 0))

active proctype Promises() {
end: do
	:: atomic { !ONCE(0) || !ONCE(1) -> BROKEN(once) }
#ifndef PARDON_NOT_AGAIN
	:: atomic { !NOT_AGAIN(0) || !NOT_AGAIN(1) -> BROKEN(not-again) }
#endif
	:: atomic { !NOTED(0) || !NOTED(1) -> BROKEN(noted) }
	:: atomic { !input && output == 0 -> BROKEN(input) }
	:: atomic { !DONE(0) || !DONE(1) -> BROKEN(done) }
#ifndef PARDON_HONEST
	:: atomic { !HONEST(0) || !HONEST(1) -> BROKEN(honest) }
#endif
	od
}

#ifdef LIVENESS
#define ENDED (FINAL(0) && (job[1].status == None || FINAL(1)))
ltl ends { [] (calm -> <> ENDED) }
#endif
