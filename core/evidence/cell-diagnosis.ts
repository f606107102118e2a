import type { AnswerScores } from '../../contract/evidence/answer-scores.ts'
import type { CanonicalRow, RowEvidence, RowQuestion } from '../../contract/evidence/canonical-row.ts'
import type { GoldPath, OtherCell } from '../../contract/control/cells.ts'
import { pointsIn } from '../../contract/metrics/points-covered.ts'
import { capital, countWords, durationWords, listWords, plural } from '../../contract/words.ts'
import type { BudgetEnd } from './budget-end.ts'

/** States what went right or wrong in a cell: one sentence, and what else belongs to it. */
export interface Diagnosis {
  outcome: 'right' | 'partly' | 'wrong' | 'unknown'
  lead: string
  /** Empty where the lead says all. */
  rest: string
}

/** Signs of the outcomes, as the states of cells have them. */
export const OUTCOME_SIGNS: Readonly<Record<Diagnosis['outcome'], string>> = {
  right: '●',
  partly: '◐',
  wrong: '▲',
  unknown: '○',
}

type Metrics = CanonicalRow['metrics']

/** The parts of a row that the diagnosis reads. */
export interface DiagnosedRow {
  status: CanonicalRow['status']
  error: Pick<NonNullable<CanonicalRow['error']>, 'type'> | null
  question: Pick<RowQuestion, 'answerable' | 'gold' | 'answer_keys'>
  evidence: (Pick<RowEvidence, 'answer'> & Partial<Pick<RowEvidence, 'contexts' | 'sources' | 'used_passages'>>) | null
  metrics: {
    operational: Pick<Metrics['operational'], 'latency_ms' | 'is_cut' | 'is_unsearched' | 'is_repeated_prompt'>
    retrieval: Pick<Metrics['retrieval'], 'all_contexts'>
    answer?: Pick<AnswerScores, 'scores' | 'refusal'> | undefined
  }
}

interface DiagnosedCell {
  row: DiagnosedRow
  /** Rank of the first context that holds each gold fact, null for one that none holds; null where that is unknown. */
  goldRanks: readonly (number | null)[] | null
  /** States how far a gold fact came that no context holds; null where no trace shows it. */
  goldPaths: readonly (GoldPath | null)[] | null
  /** Set when the answer is too long to be here as a whole. */
  isAnswerPartial: boolean
  /** Null where the contexts leave some of the context budget unused, or there is none. */
  budgetEnd: BudgetEnd | null
  /** The question in the other approaches; empty while they load. */
  others: readonly Pick<OtherCell, 'model' | 'found'>[]
}

/** Facts at a later rank do not count for the leading metric. */
const COUNTED_RANKS = 5
const QUOTED_CHARACTERS = 90
/** More approaches are counted. */
const MOST_NAMED = 3

const allOf = (count: number): string => (count === 2 ? 'both' : `all ${count}`)

const WORDS = {
  timeout: (waited: string) => `No answer: the call ran into its time limit after ${waited}.`,
  failed: (type: string) => `No answer: the call failed (${type}).`,
  refusedRightly: 'Right: it says that the documents do not answer this question.',
  answeredUnanswerable: 'Answered although the documents do not answer this question.',
  refusalUnknown:
    'Whether it admits that the documents do not answer this question is unknown: the rule reads English.',
  unsearched: 'Answered without a search: the answer rests on what the model knows.',
  repeated: 'Repeats its prompt and says nothing of its own.',
  cut: 'Cut at the length limit of the model.',
  refused: 'Says that it cannot answer.',
  right: 'Right:',
  allPoints: (points: number) =>
    points === 1 ? 'the answer has the required point.' : `the answer has ${allOf(points)} required points.`,
  somePoints: (covered: number, points: number, missing: string) =>
    points === 1
      ? `The answer leaves out the required point${missing === '' ? '' : ` ${missing}`}.`
      : `The answer has ${covered === 0 ? 'none' : covered} of ${points} required points${missing === '' ? '' : `: it leaves out ${missing}`}.`,
  forbidden: 'The answer names what the question declares as wrong, so no point counts.',
  contexts: 'contexts',
  usedPassages: 'passages that the engine reports as used',
  allFound: (facts: number, where: string) =>
    facts === 1 ? `The gold fact was in the ${where}` : `${capital(allOf(facts))} gold facts were in the ${where}`,
  late: (fact: string, rank: number) => `${fact} only at rank ${rank}`,
  foundNotUsed: (facts: number, where: string) =>
    `Found, not used: ${facts === 1 ? 'the gold fact was' : `${allOf(facts)} gold facts were`} in the ${where}.`,
  someFound: (found: number, facts: number, where: string) =>
    facts === 1
      ? `The gold fact was not in the ${where}`
      : `Of ${facts} gold facts ${found === 0 ? 'none was' : found === 1 ? '1 was' : `${found} were`} in the ${where}`,
  missing: (fact: string) => `${fact} is missing`,
  notRetrieved: (fact: string) => `${fact} was not retrieved`,
  retrieved: (fact: string, isSeen: boolean, rank: string) =>
    isSeen ? `${fact} was retrieved${rank}` : `${fact} is missing: a passage of its document was retrieved${rank}`,
  atRank: ({ rank, of }: { rank: number; of: number }) => ` at rank ${countWords(rank)} of ${countWords(of)}`,
  reranked: (rank: string) => `, put${rank} by the reranker`,
  leftOutByBudget: (budget: string) => `left out by the context budget of ${budget} tokens`,
  leftOutByTopK: (contexts: number) => `left out by top k, which handed over ${plural(contexts, 'passage')}`,
  notReranked: (passages: number) => `not among the ${countWords(passages)} passages that the reranker read`,
  notRankedLast: (passages: number) => `not among the ${countWords(passages)} passages of the last ranking`,
  cutOff: (fact: string, rank: number, budget: string) =>
    `${fact} is missing, and its document was retrieved at rank ${rank}, where the context budget of ${budget} tokens ended`,
  alsoMissing: (others: number) =>
    others === 1 ? '; another is missing too' : `; ${countWords(others)} others are missing too`,
  foundBy: (aliases: readonly string[], others: number, facts: number) =>
    `${aliases.length <= MOST_NAMED ? listWords(aliases) : `${aliases.length} of ${others} other approaches`} found ${facts === 1 ? 'it' : facts === 2 ? 'both' : 'all'}.`,
  foundByNone: 'No approach found everything.',
  noSources: 'Its contexts came without their sources, so what it found is unknown.',
  noPassages: 'It returned no passages, so what it found is unknown.',
  noGold: 'The question names no gold facts, so what it found is unknown.',
  noPoints: 'The question names no required points: compare the answer with the reference.',
} as const

/** Says what went right or wrong in a cell, from its stored scores and contexts. */
export function diagnose({ row, goldRanks, goldPaths, isAnswerPartial, budgetEnd, others }: DiagnosedCell): Diagnosis {
  const { question, status, error, metrics } = row
  if (status === 'timeout') return said('wrong', WORDS.timeout(durationWords(metrics.operational.latency_ms)))
  if (status === 'error') return said('wrong', WORDS.failed((error?.type ?? status).replaceAll('_', ' ')))
  const refused = metrics.answer?.refusal?.refused ?? null
  if (!question.answerable) {
    if (refused === null) return said('unknown', WORDS.refusalUnknown)
    return refused ? said('right', WORDS.refusedRightly) : said('wrong', WORDS.answeredUnanswerable)
  }
  const answered = answerPart(row, isAnswerPartial)
  const found = foundPart(row, { goldRanks, goldPaths, budgetEnd, others })
  const { is_unsearched: unsearched, is_cut: cut, is_repeated_prompt: repeated } = metrics.operational
  const causes = [
    ...(unsearched === true ? [WORDS.unsearched] : []),
    ...(repeated === true ? [WORDS.repeated] : []),
    ...(cut === true ? [WORDS.cut] : []),
    ...(refused === true ? [WORDS.refused] : []),
  ]
  if (causes.length > 0) {
    const lacks = answered.share === null ? [] : answered.sentences
    return said(answered.share === 1 ? 'partly' : 'wrong', causes[0]!, ...causes.slice(1), ...found.sentences, ...lacks)
  }
  return said(outcomeOf(answered.share, found.share), ...inOrder(answered, found, question.gold.length, whereOf(row)))
}

const said = (outcome: Diagnosis['outcome'], lead: string, ...rest: string[]): Diagnosis => ({
  outcome,
  lead,
  rest: rest.join(' '),
})

interface Part {
  /** Null where nothing in the row shows it. */
  share: number | null
  sentences: [string, ...string[]]
}

/** An answer without required points is not known to be right, and one that has all of them is only partly explained by its contexts when they lack facts. */
function outcomeOf(answered: number | null, found: number | null): Diagnosis['outcome'] {
  const foundAll = found === null || found === 1
  if (answered === null) return foundAll ? 'unknown' : found > 0 ? 'partly' : 'wrong'
  if (answered === 1) return foundAll ? 'right' : 'partly'
  return answered > 0 ? 'partly' : 'wrong'
}

/** Puts the cause first: what was not found explains an answer that lacks something. */
function inOrder(answered: Part, found: Part, facts: number, where: string): [string, ...string[]] {
  if (answered.share === 1) return [`${WORDS.right} ${answered.sentences[0]}`, ...found.sentences]
  const isNotUsed = answered.share !== null && found.share === 1
  return [...(isNotUsed ? ([WORDS.foundNotUsed(facts, where)] as const) : found.sentences), ...answered.sentences]
}

/** Which required points the answer has. */
function answerPart({ question, evidence, metrics }: DiagnosedRow, isPartial: boolean): Part {
  const share = metrics.answer?.scores.points_covered ?? null
  const points = question.answer_keys.length
  if (share === null || points === 0) return { share: null, sentences: [WORDS.noPoints] }
  const covered = Math.round(share * points)
  if (covered === points) return { share: 1, sentences: [WORDS.allPoints(points)] }
  const held = pointsIn(evidence?.answer ?? '', question.answer_keys)
  if (!isPartial && held.length > covered) return { share, sentences: [WORDS.forbidden] }
  const missing = question.answer_keys.filter((each) => !held.includes(each))
  const named = isPartial ? '' : listWords(missing.map(([spelling]) => quoted(spelling!)))
  return { share, sentences: [WORDS.somePoints(covered, points, named)] }
}

/** Names what the gold facts are searched in: an answer without contexts has at most the passages that its engine reports as used. */
const whereOf = ({ evidence }: DiagnosedRow): string =>
  evidence?.contexts?.length === 0 && evidence.used_passages !== undefined ? WORDS.usedPassages : WORDS.contexts

/** Which gold facts the contexts hold, and which other approaches found all of them. */
function foundPart(
  row: DiagnosedRow,
  { goldRanks: ranks, goldPaths: paths, budgetEnd, others }: Omit<DiagnosedCell, 'row' | 'isAnswerPartial'>,
): Part {
  const { question, metrics } = row
  const { gold } = question
  const where = whereOf(row)
  const facts = gold.length
  if (facts === 0) return { share: null, sentences: [WORDS.noGold] }
  const nameOf = (at: number): string => {
    const { fact, document } = gold[at]!
    return fact === undefined ? document : `${quoted(fact)} (${document})`
  }
  if (ranks === null) {
    const share = metrics.retrieval.all_contexts?.recall
    const { contexts = [], sources = contexts } = row.evidence ?? {}
    if (share === undefined)
      return { share: null, sentences: [sources.length < contexts.length ? WORDS.noSources : WORDS.noPassages] }
    const text = share === 1 ? WORDS.allFound(facts, where) : WORDS.someFound(Math.round(share * facts), facts, where)
    return { share, sentences: [`${text}.`] }
  }
  const found = ranks.filter((rank) => rank !== null).length
  if (found === facts) {
    const late = ranks.flatMap((rank, at) => (rank! > COUNTED_RANKS ? [WORDS.late(nameOf(at), rank!)] : []))
    return { share: 1, sentences: [`${[WORDS.allFound(facts, where), ...late].join(', ')}.`] }
  }
  const missing = ranks.flatMap((rank, at) => (rank === null ? [at] : []))
  const cut = budgetEnd === null ? undefined : missing.find((at) => gold[at]!.document === budgetEnd.document)
  const contexts = row.evidence?.contexts?.length ?? 0
  const first = missing.find((at) => leftOut(paths?.[at])) ?? missing[0]!
  const cause =
    cut === undefined
      ? `${lossOf(nameOf(first), paths?.[first] ?? null, budgetEnd, contexts)}${missing.length > 1 ? WORDS.alsoMissing(missing.length - 1) : ''}`
      : WORDS.cutOff(nameOf(cut), budgetEnd!.rank, countWords(budgetEnd!.budget))
  const lead = `${WORDS.someFound(found, facts, where)}: ${cause}.`
  if (others.length < 2) return { share: found / facts, sentences: [lead] }
  const finders = others.filter(({ found }) => found === 1).map(({ model }) => model)
  const whose = finders.length === 0 ? WORDS.foundByNone : WORDS.foundBy(finders, others.length - 1, facts)
  return { share: found / facts, sentences: [lead, whose] }
}

const leftOut = (path: GoldPath | null | undefined): boolean =>
  path !== null && path !== undefined && path.stage !== 'not_retrieved'

/** Says where a fact was lost on its way from the search to the contexts. */
function lossOf(fact: string, path: GoldPath | null, budgetEnd: BudgetEnd | null, contexts: number): string {
  if (path === null) return WORDS.missing(fact)
  if (path.stage === 'not_retrieved') return WORDS.notRetrieved(fact)
  const { search, reranker, reranked } = path
  const retrieved = WORDS.retrieved(fact, path.is_seen, search === null ? '' : WORDS.atRank(search))
  const ranked = reranker === null ? '' : WORDS.reranked(WORDS.atRank(reranker))
  const end =
    path.stage === 'not_reranked'
      ? (reranker === null ? WORDS.notReranked : WORDS.notRankedLast)(reranked ?? 0)
      : budgetEnd === null
        ? WORDS.leftOutByTopK(contexts)
        : WORDS.leftOutByBudget(countWords(budgetEnd.budget))
  return `${retrieved}${ranked}${ranked === '' ? ', but ' : ' and '}${end}`
}

const quoted = (text: string): string => {
  const plain = text.replace(/\s+/g, ' ').trim()
  if (plain.length <= QUOTED_CHARACTERS) return `“${plain}”`
  return `“${plain.slice(0, plain.lastIndexOf(' ', QUOTED_CHARACTERS))} …”`
}
