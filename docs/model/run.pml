/*
 * A run of the function sign: one invocation after another, each of which answers one message. Between two steps anything
 * may happen: the run may die there, others go on.
 */

mtype:step = { Home, Evidence, Removal, Word, Interrupt, Take, Prepare, Mark, Ask, Note, HandOver, Collect, Download,
	Fetched, Verify, Publish, Settle, Complete, Fail, Withdraw, GiveBack, Release, Unanswered }

/* go ends a step. Whoever goes home leaves a claim that was not given back to nobody who could use it. */
inline go(step) {
	at = step;
	if
	:: at == Home ->
		if
		:: job[j].owner == ME -> job[j].owner = LEFT
		:: else
		fi;
		atWork = atWork & ~BIT; job[0].elders = job[0].elders & ~BIT; job[1].elders = job[1].elders & ~BIT;
		j = 0; published = false; word = None
	:: else
	fi
}

/* WRITE is a conditional write by the holder of the claim: it is done, or the claim is lost, or nobody knows, since there
 * was no reply and the job could not be read again. */
#define WRITE(here, step, then, unknown) \
	:: atomic { at == here && HELD(j) -> step; go(then) } \
	:: atomic { at == here && HELD(j) && FAULTY -> step; go(unknown) } \
	:: atomic { at == here && FAULTY -> go(unknown) } \
	:: atomic { at == here && !HELD(j) -> go(Home) }

/* DO is any other step: what it needs, what it does in the world, and what comes then. */
#define DO(here, needs, does, then) :: atomic { at == here && (needs) -> does; go(then) }

/* The orders that matter, and the deliberate faults that change them. */
#ifdef BUG_MARK_AFTER
#define AFTER_PREPARE Ask
#define AFTER_ASK     Mark
#define AFTER_MARK    Note
#else
#define AFTER_PREPARE Mark
#define AFTER_MARK    Ask
#define AFTER_ASK     Note
#endif
#ifdef BUG_DELETE_FIRST
#define AFTER_VERIFY  Settle
#define AFTER_SETTLE  Publish
#define AFTER_PUBLISH Complete
#else
#define AFTER_VERIFY  Publish
#define AFTER_PUBLISH Settle
#define AFTER_SETTLE  Complete
#endif
#ifdef BUG_HAND_OVER_FIRST
#define AFTER_SIGN   HandOver
#define AFTER_SIGNED Complete
#define AFTER_HANDED Note
#else
#define AFTER_SIGN   AFTER_ASK
#define AFTER_SIGNED HandOver
#define AFTER_HANDED Complete
#endif
#ifdef BUG_REPEAT
#define AFTER_SILENCE GiveBack /* as if no answer were the proof that nothing was done */
#else
#define AFTER_SILENCE Fail
#endif

#define LOOK(i) :: atomic { at == Home && RUNG(i) && job[i].status != None -> heard(i); j = i; atWork = atWork | BIT; look() }

/* look reads the job and decides by what it is. */
inline look() {
	if
	:: METHOD != SignerFolder && ABANDONED(j) && job[j].status == Verifying -> go(Evidence)
	:: METHOD == SignerFolder && ABANDONED(j) && job[j].marked -> go(Word)
	:: !ABANDONED(j) && (job[j].status == Queued || FETCHABLE(j)) -> go(Take)
	:: !ABANDONED(j) && job[j].status != Queued && !FETCHABLE(j) -> go(Home)
	:: else -> go(Interrupt)
	fi
}

active [RUNS] proctype Run() {
	byte j;
	mtype:step at = Home;
	bool published;
	mtype:status word = None;

end: do
	LOOK(0)
	LOOK(1)
	DO(at, at != Home && FAULTY, skip, Home) /* the run dies */

	/* Another's run has died. */
#if METHOD != SignerFolder
	DO(Evidence, output == j + 1, published = true, Removal)
	DO(Evidence, output != j + 1, skip, Interrupt)
	DO(Removal, true, input = false, Interrupt)
	DO(Removal, true, skip, Interrupt) /* it may not be deleted */
#else
	DO(Word, job[j].status == Verifying && action == Done, word = Completed, Interrupt)
	DO(Word, job[j].status == Processing && action != Waiting, word = Canceled, Interrupt)
	DO(Word, !(job[j].status == Verifying && action == Done) && !(job[j].status == Processing && action != Waiting),
		word = Failed, Interrupt)
	DO(Word, FAULTY, word = Failed, Interrupt) /* Signer could not be asked */
#endif
	:: atomic { at == Interrupt && ABANDONED(j) -> interrupt(j); published = false; word = None; go(Take) }
	DO(Interrupt, !ABANDONED(j), skip, Home)

	/* The claim. */
	:: atomic { at == Take && job[j].status == Queued -> take(j); go(Prepare) }
#if METHOD == LacunaSigner
	:: atomic { at == Take && FETCHABLE(j) -> claim(j); go(Collect) }
#endif
	DO(Take, job[j].status != Queued && !FETCHABLE(j), skip, Home)

	/* Everything that can refuse, the mark, and the one question. */
#if METHOD != SignerFolder
	DO(Prepare, input && output == 0, skip, AFTER_PREPARE)
#else
	DO(Prepare, action == Waiting, skip, AFTER_PREPARE)
	DO(Prepare, action != Waiting, skip, Withdraw)
#endif
	DO(Prepare, true, skip, Fail)
	DO(Prepare, FAULTY, skip, GiveBack)
	WRITE(Mark, mark(j), AFTER_MARK, GiveBack)
	DO(Ask, true, ask(j); answer(j), AFTER_SIGN)
	DO(Ask, true, skip, Fail)        /* denied */
	DO(Ask, FAULTY, skip, GiveBack)  /* proof that nothing was done: throttled, or no time to begin */
	DO(Ask, FAULTY, ask(j), AFTER_SILENCE) /* the question is lost */
	DO(Ask, FAULTY, ask(j); answer(j), AFTER_SILENCE) /* the reply is */
#if METHOD == Local
	WRITE(Note, signed(j), Verify, Home)
#elif METHOD == LacunaSigner
	WRITE(Note, dispatched(j), Home, Note)
#else
	WRITE(Note, signed(j), AFTER_SIGNED, Home)
	DO(HandOver, action == Waiting, handed[j]++; action = Done, AFTER_HANDED)
	DO(HandOver, action == Waiting && FAULTY, handed[j]++; action = Done, Fail) /* the reply is lost */
	DO(HandOver, true, handed[j]++, Fail) /* it is refused, or lost */
#endif

	/* The document comes back. */
#if METHOD == LacunaSigner
	DO(Collect, document[j] == Concluded, skip, Download)
	DO(Collect, document[j] == Pending, skip, Release)
	DO(Collect, true, skip, Fail) /* it was refused there, or the call can never succeed */
	DO(Collect, FAULTY, skip, Unanswered)
	DO(Download, output == 0 || output == j + 1, skip, Fetched)
	DO(Download, true, skip, Fail) /* what came is of no use */
	DO(Download, FAULTY, skip, Unanswered)
	DO(Download, FAULTY, skip, Release) /* trouble of our own */
	WRITE(Fetched, fetched(j), Verify, Home)
	WRITE(Release, let_go(j), Home, Home)
	WRITE(Unanswered, unanswered(j), Home, Home)
#endif

	/* The tail: verify, publish, deal with the input, complete. After silence the bucket is asked what is there. */
#if METHOD != SignerFolder
	DO(Verify, true, skip, AFTER_VERIFY)
	DO(Verify, true, skip, Fail)
	DO(Publish, output == 0, output = j + 1, AFTER_PUBLISH)
	DO(Publish, output == 0 && FAULTY, output = j + 1, Publish)
	DO(Publish, output == j + 1, skip, AFTER_PUBLISH)
	DO(Publish, output != 0 && output != j + 1, skip, Fail)
	DO(Settle, true, input = false, AFTER_SETTLE)
	DO(Settle, input && FAULTY, input = false, Settle)
	DO(Settle, true, skip, AFTER_SETTLE) /* it may not be deleted, or is another by now */
#endif
	WRITE(Complete, finish(j, Completed), Home, Home)
	WRITE(Fail, finish(j, Failed), Home, Home)
	WRITE(GiveBack, requeue(j), Home, Home)
#if METHOD == SignerFolder
	WRITE(Withdraw, finish(j, Canceled), Home, Home)
#endif
	od
}
