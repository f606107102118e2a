import { plural } from '../../components/format.ts'

/** Texts of the tab Judges. Sentences about agreement are in `agreement-words.ts`, beside the figures that decide them. */
export const JUDGES_WORDS = {
  answers: 'The answers',
  question: 'The question',
  theJudges: 'The judges',
  underWay: (run: string) => `${run} is still making its answers. They can be graded when it is done.`,
  noQuestion: 'No question to vote on',
  noStoredAnswer: 'The run has no stored answer here.',
  allBlocked: (questions: number) =>
    `The texts of all ${questions} questions would show which approach wrote an answer.`,

  vote: {
    question: 'Question',
    position: (number: string, total: string) => `Question ${number} of ${total}`,
    progress: 'Graded questions',
    voted: (voted: string, total: string) => `${voted} of ${total} graded`,
    leftOut: (questions: string) => `${questions} left out`,
    whyLeftOut: 'Their texts would show which approach wrote an answer',
    groundTruth: 'Reference answer ',
    passages: 'Gold passages',
    answer: (letter: string) => `Answer ${letter}`,
    text: (letter: string) => `Text of answer ${letter}`,
    noText: '(no text)',
    isBest: '★ best',
    noGrade: 'not graded',
    grade: (grade: number) => `grade ${grade}`,
    gradeFor: (grade: number, letter: string) => `Grade ${grade} for answer ${letter}`,
    bestFor: (letter: string) => `Answer ${letter} is the best`,
    note: 'Note',
    notePlaceholder: 'Saved with your grades',
    saving: 'saving',
    saved: '● Saved',
    savingFailed: 'Saving the vote',
    graded: (graded: number, all: number) => `${graded}/${all} graded`,
    ungraded: (letters: readonly string[]) =>
      `${letters.join(', ')} ${letters.length === 1 ? 'has' : 'have'} no grade yet`,
    previous: 'Previous',
    next: 'Next question',
    keys: {
      grade: 'grade, 5 is best',
      best: 'best answer',
      other: 'next/previous answer',
      next: 'next',
      previous: 'previous question',
    },
    sealed: (hash: string) => `order sealed before the first vote: sha256 ${hash}…`,
  },

  begin: {
    open: 'Grade blindly…',
    title: 'Grade the answers without their names?',
    effect:
      'Answers are labeled with letters, in an order that is sealed now. Until you reveal the approaches, no page shows the grades of the judges for this run and dataset.',
    seen: 'Your grades say more if you have not seen those of the judges.',
    questions: 'Questions',
    questionsNote: (questions: string) => `Of ${questions}, drawn at random`,
    reference: 'Show the reference answer and the gold passages',
    referenceAbout: 'Something to grade against. Without it you grade by the answers alone.',
    confirm: 'Start round',
  },

  reveal: {
    open: 'Reveal approaches…',
    title: 'Reveal which approach each letter is?',
    noVotes: 'No question has a vote yet, so the judges cannot be compared with you afterwards.',
    votes: (voted: string, total: string) => `${voted} of ${total} questions have your vote.`,
    effect: ' Revealing ends the vote on this run for good and is logged with its time.',
    name: 'Your name in the result',
    namePlaceholder: 'person',
    cancel: 'Keep voting',
    confirm: 'Reveal and end the vote',
  },

  judgeRun: {
    open: 'Judge answers…',
    title: (run: string) => `Judge the answers of ${run}?`,
    effect: (dataset: string) =>
      `Judges grade the stored answers of ${dataset} without the names of the approaches. No approach is called again, and no stored row changes.`,
    judges: 'Judges',
    judgesAbout: 'Two or more, each of another model family',
    rotations: 'Rotations',
    rotationsAbout: 'How often each judge sees a question, each time in another order',
    reference: 'Show judges the reference answer',
    cancel: 'Close',
    confirm: 'Judge answers',
  },

  results: {
    closed: 'Round closed.',
    rotations: (orders: string) => `saw each question in ${orders}`,
    withReference: ', with the reference answer',
    withoutReference: ', without the reference answer',
    unusable: (reason: string) => `▲ The judgments cannot be used: ${reason}`,
    problems: (verdicts: number, questions: number) =>
      [
        verdicts > 0 && `▲ ${plural(verdicts, 'verdict')} failed`,
        questions > 0 && `▲ ${plural(questions, 'question')} not shown to judges`,
      ]
        .filter(Boolean)
        .join(' · '),
    problem: (question: string, judge: string, rotation: number, code: string, message: string) =>
      `${question} · ${judge} · rotation ${rotation}: ${code}, ${message}`,
    withheld: (questions: string) => `${questions} judged with texts withheld that name an approach`,
    leak: (text: string, place: string) => `“${text}” in ${place}`,
    noPanel: 'No model has judged this run',
    noPanelText: 'Judges grade the stored answers without their names. Their grades then appear here beside yours.',
    scores: 'Scores by approach',
    agreement: 'Agreement of the judges',
    agreementKind: 'Krippendorff’s alpha, ordinal',
    agreementBasis: (judges: string, grades: string, groups: string) =>
      `${judges}, ${grades} grades in ${groups} of questions. `,
    profiles: 'Each judge',
    profilesNote: '* without interval',
    leftOut: 'Ranks when a judge is left out',
    person: 'You against each judge',
    reasons: 'Reasons',
    theReasons: 'The reasons',
  },

  columns: {
    approach: 'Approach',
    rank: 'Rank',
    mean: 'Mean grade',
    interval: '95 % interval',
    bar: 'mean grade, 1 to 5',
    questions: 'Questions',
    won: 'Won',
    votes: 'Best votes',
    yourMean: 'Your mean grade',
    yourVotes: 'Your best votes',
    judge: 'Judge',
    verdicts: 'Verdicts',
    failed: (verdicts: string) => `${verdicts} failed`,
    position: 'Position effect, grade per place',
    positionBar: 'earlier ← favours → later',
    bestFlips: 'Best flips',
    orderFlips: 'Order flips',
    lengthInQuestion: 'Length, within question',
    lengthInApproach: 'Length, within approach',
    rankOfAll: 'Rank, all judges',
    without: (judge: string) => `without ${judge}`,
    kappa: 'Weighted κ',
    agreement: 'Agreement',
    sameBest: 'Same best answer',
    meanShort: 'Mean',
    you: 'You',
  },
  tested: (pairs: string, isOneDecided: boolean) =>
    isOneDecided
      ? `${pairs}. Ranks between approaches whose pair is not decided can be chance.`
      : `${pairs}. No rank is shown.`,
  notValidated: (why: string) => `The mean grade ${why}.`,
  behaviour: 'Behaviour of each judge',
  ruleBased: 'rule-based',
  positionBasis: {
    within_answer: 'the same answer in several places',
    within_question: 'answers of one question, each approach’s level removed',
    none: 'cannot be measured',
  },
  profileNote:
    'Flips: the share of pairs of orders in which a judge contradicts itself. Length: correlation of grade and length of the answer, −1 to 1, among the answers to one question, and with the level of each approach removed.',
  ranksWithout: 'Ranks without each judge',
  firstPlaceOpen: '▲ The first place is shared or changes when a judge is left out: the panel names no winner.',
  firstPlaceStable: '● The first place stays the same whichever judge is left out.',
  changedRanks: ' Changed ranks are in bold.',
  agreementOf: (rater: string) => `${rater} against each judge`,
  noJudges: 'No judge to compare with: only you have graded this run.',
  kappa: (rater: string, voted: string, offered: string) =>
    `${rater} voted on ${voted} of ${offered} questions. Cohen’s kappa with quadratic weights: 1 is perfect, 0 is chance.`,

  noWinner: 'no winner',
  noWinnerBecause: (why: string) => `no winner: ${why}`,
  whyNoWinner: {
    not_judged: 'not judged',
    too_few_judges: 'fewer than two judges',
    tie: 'a tie',
    judges_disagree: 'the judges disagree',
  },
  yourNote: 'Your note ',
  reasonsFor: (question: string) => `Reasons for ${question}`,
  more: (shown: string, all: string) => `Show more: ${shown} of ${all}`,
} as const
