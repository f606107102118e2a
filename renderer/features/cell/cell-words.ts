import { plural } from '../../../contract/words.ts'

/** Texts of the cell page and of the matrix's drawer. */
export const CELL_WORDS = {
  note: {
    title: 'Note',
    flag: '⚑',
    flagged: 'Flag this answer',
    save: 'Save note',
    saving: 'Saving the note',
  },

  noCell: 'This link names no answer',
  noCellText: 'Its end may have been lost when it was copied. Choose the answer in the ',
  matrix: 'matrix',
  theCell: 'The answer',
  back: 'Back to the matrix',
  otherCell: (alias: string) => `The answer of ${alias}`,
  snapshot: 'Answer of a published snapshot',
  snapshotNote: 'A snapshot keeps what was published, not the whole row.',
  raw: 'Raw',
  verdicts: 'Verdicts',
  tabs: {
    evidence: 'Evidence',
    path: 'Trace',
    scores: 'Scores',
    provenance: 'Provenance',
    raw: 'Raw',
  },
  repetition: (number: number) => `repetition ${number}`,

  diagnosis: 'Diagnosis',
  answer: 'Answer',
  noAnswer: 'no answer',
  uncitable: (numbers: readonly number[]) =>
    `This answer cites ${numbers.map((number) => `[${number}]`).join(' ')}: no passage with that number was handed over.`,
  unreadable: (characters: number) =>
    `${plural(characters, 'character')} of this answer arrived unreadable: the service did not send valid UTF-8.`,
  groundTruth: 'Reference',
  notAnswerable: 'Not answerable: what is missing',
  noGroundTruth: 'none written',
  shading:
    'Shaded: most of the sentence’s words occur in one retrieved passage. Dotted: they don’t. Word overlap only.',
  readOn: (shown: string, all: string) => `Show more: ${shown} of ${all} characters`,
  readingOn: 'Reading on',

  others: 'The same question in other approaches',
  thisCell: 'this answer',
  compareWith: (alias: string) => `compare the evidence with ${alias}`,
  missing: 'missing',
  noValue: (metric: string) => `${metric} has no value here`,

  gold: 'Gold facts',
  noGold: 'This question names no facts that an answer needs.',
  goldNotMeasurable: 'Gold facts in the contexts: ○ not measurable',
  goldWithoutContexts: (facts: string) =>
    `No passages with their sources came with this answer, so it is unknown whether they held the ${facts}.`,
  goldFound: (found: number, all: number) => `${found} of ${all} gold facts in the contexts`,
  goldRank: (rank: number) => `● rank ${rank}`,
  goldDocument: 'The whole document',
  goldNotFound: '○ not found',

  context: (rank: number) => `Context ${rank}`,
  noContexts: 'No context came with this answer.',
  answerOnly: 'This approach does not return the passages it used; metrics that need them cannot be measured.',
  usedPassages: 'Passages that the engine reports as used. Only the retrieval metrics are computed from them.',
  noSource: 'unknown source',
  chunk: (number: number) => `chunk ${number}`,
  holdsGold: '● gold',
  score: (score: string) => `score ${score}`,
  budgetEnds: (tokens: string) =>
    `▲ The context budget of ${tokens} tokens ends here: more of this passage may be cut off.`,

  sideBySide: 'Evidence side by side',
  noOtherRow: (alias: string) => `${alias} has no row for this question yet.`,
  otherIsSnapshot: 'The other answer is from a snapshot and holds no contexts.',
  inBoth: (contexts: string, onlyHere: number, here: string, onlyThere: number, there: string) =>
    `${contexts} in both · ${onlyHere} only ${here} · ${onlyThere} only ${there}`,
  sameWords: ' · the answers have the same words',
  wordsInBoth: (words: string) => ` · ${words} shared; underlined words are unique to this answer`,
  openOther: 'Open this answer',

  reasons: {
    supported: { yes: '● supported', no: '○ not supported' },
    states: { supported: '● supported', missing: '○ missing', contradicted: '✕ contradicted' } as Readonly<
      Record<string, string>
    >,
    attributed: { yes: '● in the contexts', no: '○ not in the contexts' },
    question: (question: string, similarity: string, isEvasive: boolean) =>
      `similarity ${similarity}: ${question}${isEvasive ? ' (evasive answer)' : ''}`,
    context: (rank: number, isUseful: boolean) =>
      isUseful ? `● context ${rank} is useful` : `○ context ${rank} is not useful`,
    omitted: (statements: string) => `${statements} more were not checked`,
    times: (line: string, count: number) => `${line} (${count} times)`,
    none: (what: string) => `no ${what}`,
    more: (lines: number) => `${lines} more`,
  },

  metric: 'Metric',
  state: 'State',
  scoreColumn: 'Score',
  by: 'By',
  reason: 'Reason',
  judge: 'Judge',
  grade: 'Grade, 1 to 5',
  best: 'Best',
  isBest: '● best',

  shownToJudges: 'Shown to the judges',
  blocked: '▲ No judge was shown this question: its prompt would have named an approach.',
  withheld: 'Withheld from this answer, because it names an approach:',
  unchanged: 'The judges saw this answer as it is.',
  capped: (characters: string) => `The judges saw the beginning of this answer: ${characters} characters.`,
  neutralized: 'Characters that could pass for a delimiter of the prompt were replaced.',
  unanswered: 'The judges saw “no answer”, because the call failed.',
  shownUnknown: 'The judgments do not record what the judges saw of this answer.',
  leakKinds: {
    alias: 'name of an approach',
    engine: 'name of a product',
    source_marker: 'source marker',
    metrics_footer: 'metrics line',
  },
  leakIn: (place: string) =>
    place === 'question'
      ? 'in the question'
      : place === 'reference'
        ? 'in the ground truth'
        : `in the answer of ${place}`,

  trace: {
    title: 'Calls of this answer',
    tokens: (input: string, output: string) => `${input} in, ${output} out`,
    sent: 'Sent',
    received: 'Received',
    size: (characters: number) => plural(characters, 'character'),
    cut: (characters: number) => `Only the first ${plural(characters, 'character')} are kept.`,
    leftOut: (steps: number) => `${plural(steps, 'more step')} not shown.`,
    treeOnly: 'This run keeps steps without their texts.',
    overLimit: 'This text was not kept: a limit of traces was reached.',
    notHere: 'This text is not stored on this machine. A publication, for example, has traces without texts.',
  },
  alsoReported: 'Other details',

  time: {
    queue: 'queue',
    failed: 'failed attempts',
    waiting: 'waiting to retry',
    turn: 'waiting for a model',
    answer: 'answer',
    gateway: 'gateway',
    server: 'server',
    inAll: (duration: string) => `${duration} in all`,
  },
  used: {
    chunks: (chunks: number) => plural(chunks, 'chunk in the prompt', 'chunks in the prompt'),
    calls: (all: number, cloud: number) =>
      `${plural(all, 'model call')}${cloud === 0 ? '' : ` (${cloud} in the cloud)`}`,
    tokens: (input: string, output: string, cached: string | null, isEstimated: boolean) =>
      `${input} tokens in${cached === null ? '' : ` (${cached} of them from a cache)`}, ${output} out${isEstimated ? ' (estimated)' : ''}`,
  },
  attempts: 'Attempt',
  attempt: { outcome: 'Outcome', waited: 'Waited', took: 'Took', http: 'HTTP', message: 'Message' },

  json: 'JSON',
  cutHere: '… cut here',
} as const
