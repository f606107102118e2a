import type { Question } from '../../../../contract/manifests/queries.ts'
import { problemsOf } from '../../../data/refused.ts'

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

const FIELDS: Readonly<Record<string, keyof QuestionDraft>> = {
  query: 'query',
  ground_truth: 'answer',
  answer_keys: 'keys',
  tags: 'tags',
}

/** Lists problems of a refusal: by field of the form, and of a gold fact as `gold 0`. */
export const draftProblems = (error: unknown) =>
  problemsOf(error, (path) => {
    const [name = '', number] = path.replace(/^question\.?/, '').split(/[.[\]]+/)
    return name === 'gold' && number !== undefined ? `gold ${number}` : FIELDS[name]
  })
