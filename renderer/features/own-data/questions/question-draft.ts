import { controlErrorOf, InputProblem } from '../../../../contract/control/control-error.ts'
import type { Question } from '../../../../contract/manifests/queries.ts'

export interface GoldDraft {
  document: string
  /** Empty: the whole document. */
  fact: string
}

/** A question as its form has it. */
export interface QuestionDraft {
  query: string
  answer: string
  answerable: boolean
  hops: number | null
  tags: string[]
  /** A line per point, its accepted spellings separated by "|". */
  keys: string
  gold: GoldDraft[]
}

export const EMPTY_QUESTION: QuestionDraft = {
  query: '',
  answer: '',
  answerable: true,
  hops: null,
  tags: [],
  keys: '',
  gold: [],
}

export const draftOf = (question: Question): QuestionDraft => ({
  query: question.query,
  answer: question.ground_truth ?? '',
  answerable: question.answerable,
  hops: question.hops,
  tags: question.tags,
  keys: question.answer_keys.map((spellings) => spellings.join(' | ')).join('\n'),
  gold: question.gold.map(({ document, fact = '' }) => ({ document, fact })),
})

const keysOf = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .map((spelling) => spelling.trim())
        .filter((spelling) => spelling !== ''),
    )
    .filter((spellings) => spellings.length > 0)

/** The question of a draft, without its id; what the form does not show is taken from the question that is edited. */
export function questionOf(draft: QuestionDraft, edited: Question | null): Omit<Question, 'id'> {
  const answer = draft.answer.trim()
  return {
    query: draft.query.trim(),
    ground_truth: answer === '' ? null : answer,
    answerable: draft.answerable,
    hops: draft.hops,
    tags: draft.tags,
    answer_keys: keysOf(draft.keys),
    gold: draft.gold.map(({ document, fact }) => (fact.trim() === '' ? { document } : { document, fact: fact.trim() })),
    ...(edited?.bridge_keys === undefined ? {} : { bridge_keys: edited.bridge_keys }),
    ...(edited?.forbidden_answers === undefined ? {} : { forbidden_answers: edited.forbidden_answers }),
    rationale: edited?.rationale ?? null,
    expect_winner: edited?.expect_winner ?? null,
  }
}

export interface DraftProblems {
  /** By the form's field; gold facts by their number. */
  query?: string
  answer?: string
  keys?: string
  tags?: string
  gold: Record<number, string>
  /** Holds what names no field of the form. */
  rest: string | null
}

const FIELDS: readonly (readonly [RegExp, 'query' | 'answer' | 'keys' | 'tags'])[] = [
  [/^query/, 'query'],
  [/^ground_truth/, 'answer'],
  [/^answer_keys/, 'keys'],
  [/^tags/, 'tags'],
]

/** The problem that a refusal to save reports for each field. */
export function draftProblems(error: unknown): DraftProblems {
  const problems: DraftProblems = { gold: {}, rest: null }
  if (error === null || error === undefined) return problems
  const { message, details } = controlErrorOf(error)
  const named = InputProblem.array().safeParse(details?.problems).data ?? []
  let unknown = named.length === 0
  for (const { path, message: text } of named) {
    const inner = path.replace(/^question\.?/, '')
    const gold = /^gold(?:\[|\.)(\d+)/.exec(inner)
    const field = FIELDS.find(([pattern]) => pattern.test(inner))
    if (gold !== null) problems.gold[Number(gold[1])] = text
    else if (field !== undefined) problems[field[1]] = text
    else unknown = true
  }
  if (unknown) problems.rest = message
  return problems
}
