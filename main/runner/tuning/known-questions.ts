// Questions as the ledger of holdouts knows them. An id is only a name: a question whose words were edited is another one in part, and one whose id changed is still the one that a trial has seen.
import { hash } from 'node:crypto'
import type { EditedQuestion, LedgerLine, QuestionDigests } from '../../../contract/evidence/tuning.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { Side } from '../../statistics/tuning/split-questions.ts'

type Split = Extract<LedgerLine, { kind: 'split' }>

/** A question by its id and its digests. */
export interface LedgerQuestion {
  id: string
  digests: QuestionDigests
}

const DIGITS = 16

const digest = (text: string): string => hash('sha256', text).slice(0, DIGITS)

/** Case, punctuation and white space make no other question. */
const wordsOf = (text: string): string =>
  (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [text]
  ).join(' ')

/** The question as the ledger keeps it. */
export const ledgerQuestion = ({
  id,
  query,
  gold,
  ground_truth,
  answer_keys,
}: Pick<Question, 'id' | 'query' | 'gold' | 'ground_truth' | 'answer_keys'>): LedgerQuestion => ({
  id,
  digests: { text: digest(wordsOf(query)), evidence: digest(canonicalJson([gold, ground_truth, answer_keys])) },
})

/** Digests by id, as a line of the ledger has them. */
export const digestsById = (questions: readonly LedgerQuestion[]): Record<string, QuestionDigests> =>
  Object.fromEntries(questions.map(({ id, digests }) => [id, digests]))

/** Returns true where a line that has these questions is about this one: the words are the same, or the id with words or evidence. A line without digests has ids alone. */
export function isAmong(
  { id, digests }: LedgerQuestion,
  line: { ids: ReadonlySet<string>; digests: Readonly<Record<string, QuestionDigests>> | undefined },
): boolean {
  if (line.digests === undefined) return line.ids.has(id)
  const same = Object.hasOwn(line.digests, id) ? line.digests[id] : undefined
  if (same !== undefined && changeBetween(same, digests) !== 'replaced') return true
  return Object.values(line.digests).some(({ text }) => text === digests.text)
}

/** Finds questions of one dataset in its splits. */
export interface KnownQuestions {
  /** The side of a question, by its id or its words; undefined for one that no split has. Development wins: what a trial has seen is no holdout. */
  sideOf(question: LedgerQuestion): Side | undefined
  /** The same without ids whose question was replaced by another. */
  sideOfSame(question: LedgerQuestion): Side | undefined
  /** True where a split has this question under its id, as it is now. */
  has(question: LedgerQuestion): boolean
  /** States how it differs from the first question under its id in the ledger; null where it does not, and where its digests were never kept. */
  changeOf(question: LedgerQuestion): EditedQuestion['change'] | null
}

/** Reads the splits of one dataset, the first one first. */
export function knownQuestions(splits: readonly Split[]): KnownQuestions {
  const sides = new Map<string, Side>()
  const sidesOfText = new Map<string, Side>()
  const kept = new Map<string, QuestionDigests[]>()
  for (const { digests = {}, ...split } of splits)
    // Development comes last, so that it wins.
    for (const side of ['holdout', 'development'] as const)
      for (const id of split[side]) {
        sides.set(id, side)
        if (!Object.hasOwn(digests, id)) continue
        const of = digests[id]!
        kept.set(id, [...(kept.get(id) ?? []), of])
        if (side === 'development' || !sidesOfText.has(of.text)) sidesOfText.set(of.text, side)
      }
  const changeOf = ({ id, digests }: LedgerQuestion): EditedQuestion['change'] | null => {
    const [first] = kept.get(id) ?? []
    return first === undefined ? null : changeBetween(first, digests)
  }
  const sideBy = (byId: Side | undefined, { digests }: LedgerQuestion): Side | undefined => {
    const byText = sidesOfText.get(digests.text)
    return byId === 'development' || byText === 'development' ? 'development' : (byId ?? byText)
  }
  return {
    changeOf,
    sideOf: (question) => sideBy(sides.get(question.id), question),
    sideOfSame: (question) => sideBy(changeOf(question) === 'replaced' ? undefined : sides.get(question.id), question),
    has: ({ id, digests }) => (kept.get(id) ?? []).some((each) => changeBetween(each, digests) === null),
  }
}

function changeBetween(one: QuestionDigests, other: QuestionDigests): EditedQuestion['change'] | null {
  const [isText, isEvidence] = [one.text === other.text, one.evidence === other.evidence]
  if (isText) return isEvidence ? null : 'evidence'
  return isEvidence ? 'text' : 'replaced'
}

/** Questions of these that are not as the ledger first had them. */
export const editedAmong = (known: KnownQuestions, questions: readonly LedgerQuestion[]): EditedQuestion[] =>
  questions.flatMap((question) => {
    const change = known.changeOf(question)
    return change === null ? [] : [{ id: question.id, change }]
  })
