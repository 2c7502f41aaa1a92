/*
 * The life of one job and of the one that retries it, under everything that may go wrong. README.md tells what is modelled
 * and which function of the code each step stands for.
 *
 * METHOD is the method of both, RUNS how many runs there are, MAX how many deaths and failures a job survives. LIVENESS asks
 * whether every job ends, instead of what may never happen. BUG_* put deliberate faults in; BEYOND lets runs work beyond the
 * end of their claims; PARDON_* does not ask for a promise, so that what follows from its breach shows.
 */

#define Local        1
#define LacunaSigner 2
#define SignerFolder 3
#ifndef METHOD
#define METHOD Local
#endif

#ifndef RUNS
#define RUNS 3
#endif
#ifndef MAX
#define MAX 3
#endif

c_decl { \#include <stdio.h> }

/* BROKEN names a promise that does not hold, for the runner to read. */
#define BROKEN(promise) c_code { printf("broken: " #promise "\n"); }; assert(false)

/*
 * What may never happen is looked for while faults go on for ever, and any run may look at any job at any time: that is
 * more than messages do that are lost, late, repeated or out of order. Whether jobs end is asked about a world where faults
 * stop some day; then only a message wakes a run.
 */
#ifdef LIVENESS
bool calm;
#define FAULTY (!calm)
bool bell[2];
#define RUNG(i) (bell[i] || FAULTY)
#define ring(i) bell[i] = true
#define heard(i) bell[i] = false
#else
#define FAULTY true
#define RUNG(i) true
#define ring(i) skip
#define heard(i) skip
#endif

/* The world outside of the table. */
mtype:remote = { Nothing, Pending, Concluded, Ended }
mtype:flow = { Waiting, Done, Moved }

bool input = true;      /* the current version of the object is the one to be signed */
byte output;            /* who published under the output's name: the job's number + 1, or 0 */
byte asked[2];          /* how often the key, or Signer, was asked for what cannot be undone */
byte documents[2];      /* how many documents Signer created for the job */
byte handed[2];         /* how often a signature was handed over */
mtype:remote document[2] = Nothing; /* of a LacunaSigner job */
mtype:flow action = Waiting;        /* of the document that waits in a folder, for both jobs */

inline ask(i) { asked[i]++ }

/* answer is what becomes of a question that arrives. */
inline answer(i) {
	if
	:: METHOD == LacunaSigner -> documents[i]++; document[i] = Pending
	:: else
	fi
}

#include "job.pml"
#include "run.pml"
#include "others.pml"
#include "promises.pml"
