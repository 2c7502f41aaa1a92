/*
 * The stored job and its steps, as package job has them. When a step is allowed is said where it is taken.
 */

#define MAX_DEATHS   MAX
#define MAX_FAILURES MAX /* Signer:MaxFailures */

#define NOBODY 0
#define ME     (_pid + 1)  /* a run, as an owner */
#define BIT    (1 << _pid) /* and as a member of a set */
#define LEFT   255         /* the owner of a claim whose run is over: no run has this name */

mtype:status = { None, Queued, Processing, Verifying, AwaitingSigner, Completed, Failed, Canceled }

typedef Job {
	mtype:status status = None;
	byte owner;    /* of the claim */
	bool ended;    /* the claim's end has passed */
	byte elders;   /* the set of runs that were at work already when the claim was made */
	bool marked;   /* the run has declared that it asks for what cannot be undone */
	byte deaths;   /* runs that died where the job can be taken up again */
	byte failures; /* calls of Signer about the document that failed in a row */
}

Job job[2];  /* 0, and the one that retries it */
byte atWork; /* the set of runs that are at work */

#define FINAL(i)  (job[i].status == Completed || job[i].status == Failed || job[i].status == Canceled)
#define PARKED(i) (job[i].status == AwaitingSigner && job[i].owner == NOBODY)
#define FETCHABLE(i) (METHOD == LacunaSigner && job[i].owner == NOBODY && \
	(job[i].status == AwaitingSigner || job[i].status == Verifying))
#define HELD(i)   (job[i].owner == ME && !job[i].ended)

#ifdef BUG_CLAIM_END
#define ABANDONED(i) (job[i].owner != NOBODY && job[i].owner != ME)
#else
#define ABANDONED(i) (job[i].owner != NOBODY && job[i].ended)
#endif

#ifdef BUG_REQUEUE
#define UNMARKED(i) true
#else
#define UNMARKED(i) (!job[i].marked)
#endif

/* Rows of the table are branches of move; those of other methods are left out. That a row was taken is said once: no part
 * of the state, but the runner wants to see each. */
#define STEP(m, from, to) STEP_##m(from, to)
#define STEP_Local(from, to)
#define STEP_LacunaSigner(from, to)
#define STEP_SignerFolder(from, to)
#define BRANCH(from, to) \
	:: job[i].status == from && next == to -> \
		c_code { static int said; if (!said++) printf("took: " #from " " #to "\n"); }
#if METHOD == Local
#undef STEP_Local
#define STEP_Local(from, to) BRANCH(from, to)
#elif METHOD == LacunaSigner
#undef STEP_LacunaSigner
#define STEP_LacunaSigner(from, to) BRANCH(from, to)
#else
#undef STEP_SignerFolder
#define STEP_SignerFolder(from, to) BRANCH(from, to)
#endif

/* move takes a step, if it is in the table. */
inline move(i, next) {
	if
#include "table.pml"
	:: else -> BROKEN(table)
	fi;
	job[i].status = next
}

inline claim(i) { job[i].owner = ME; job[i].ended = false; job[i].elders = atWork & ~BIT }

inline let_go(i) { job[i].owner = NOBODY; job[i].ended = false; job[i].elders = 0 }

inline take(i) { move(i, Processing); claim(i); job[i].marked = false }

inline mark(i) { job[i].marked = true }

inline requeue(i) { move(i, Queued); let_go(i); job[i].marked = false }

inline signed(i) { move(i, Verifying) }

inline dispatched(i) { move(i, AwaitingSigner); let_go(i); job[i].deaths = 0; job[i].failures = 0 }

/* fetched leaves a job in Verifying that was fetched before. */
inline fetched(i) {
	job[i].failures = 0;
	if
	:: job[i].status == Verifying
	:: else -> move(i, Verifying)
	fi
}

/* finish ends a job. What only its own steps read is forgotten, which spares states. */
inline finish(i, next) {
	move(i, next);
	let_go(i);
	job[i].marked = false; job[i].deaths = 0; job[i].failures = 0; document[i] = Nothing
}

inline unanswered(i) {
	if
	:: job[i].failures >= MAX_FAILURES -> finish(i, Failed)
	:: else -> job[i].failures++; let_go(i)
	fi
}

/* interrupt ends an abandoned run by what is known: published is the output found, word is Signer's. */
inline interrupt(i) {
	if
	:: job[i].status == Processing && UNMARKED(i) && job[i].deaths < MAX_DEATHS -> job[i].deaths++; requeue(i)
	:: job[i].status == Processing && UNMARKED(i) && job[i].deaths >= MAX_DEATHS -> finish(i, Failed)
	:: METHOD == SignerFolder && job[i].status == Processing && !UNMARKED(i) && word == Canceled -> finish(i, Canceled)
	:: METHOD == SignerFolder && job[i].status == Verifying && word == Completed -> finish(i, Completed)
	:: METHOD != SignerFolder && job[i].status == Verifying && published -> finish(i, Completed)
	:: METHOD == LacunaSigner && job[i].status != Processing && !published && job[i].deaths < MAX_DEATHS ->
		job[i].deaths++; let_go(i)
	:: else -> finish(i, Failed)
	fi
}
