import type { VarianceComponent, VarianceComponents } from '../../contract/evidence/statistics.ts'
import { StatisticsError } from './statistics-error.ts'

/** Scores of one approach: several answers to each question, each scored by several judges. */
interface RepeatedScores {
  questions: number
  repeats: number
  /** 1 for a metric without judges. */
  judges: number
  /** By question, then repeat, then judge; NaN where there is none. */
  values: Float64Array
}

type Estimates = Record<'question' | 'generation' | 'judge_severity' | 'judge_question' | 'residual', number | null>

const NONE: Estimates = { question: null, generation: null, judge_severity: null, judge_question: null, residual: null }

/**
 * Splits the variance of an approach's scores by the method of moments: mean squares of the analysis of variance are set equal to their
 * expectations (Searle, Casella and McCulloch 1992, Variance Components, chapters 3 and 4). Questions, repeats within questions, and
 * judges crossed with both are all random. A negative estimate is shown as 0 and marked `clipped`; shares are of the sum after that.
 * With one judge repeats may differ in number between questions; with several, questions with a gap are dropped and counted.
 */
export function varianceComponents(scores: RepeatedScores): VarianceComponents {
  const { questions, repeats, judges, values } = scores
  if (values.length !== questions * repeats * judges)
    throw new StatisticsError('bad_input', `${values.length} scores for ${questions} × ${repeats} × ${judges}`)
  const size = repeats * judges
  const rows = Array.from({ length: questions }, (_, question) =>
    values.subarray(question * size, (question + 1) * size),
  )
  const isCrossed = judges > 1
  const used = rows
    .map((row) => (isCrossed ? row : row.filter((value) => !Number.isNaN(value))))
    .filter((row) => row.length > 0 && row.every((value) => !Number.isNaN(value)))
  const estimates = isCrossed ? crossed(used, repeats, judges) : nested(used)
  const total = Object.values(estimates).reduce<number>((sum, value) => sum + Math.max(0, value ?? 0), 0)
  const component = (value: number | null): VarianceComponent | null => {
    if (value === null) return null
    const variance = Math.max(0, value)
    return { variance, share: total === 0 ? 0 : variance / total, clipped: value < 0 }
  }
  return {
    questions: used.length,
    dropped: questions - used.length,
    repeats: isCrossed ? repeats : used.reduce((sum, row) => sum + row.length, 0) / Math.max(1, used.length),
    judges,
    question: component(estimates.question),
    generation: component(estimates.generation),
    judge_severity: component(estimates.judge_severity),
    judge_question: component(estimates.judge_question),
    residual: component(estimates.residual),
  }
}

/** One-way layout, also unbalanced: E[MS within] = σ²g, E[MS between] = σ²g + n₀ σ²q with n₀ = (N − Σ nᵢ²/N) / (Q − 1). */
function nested(rows: readonly Float64Array[]): Estimates {
  const count = rows.reduce((sum, row) => sum + row.length, 0)
  if (rows.length < 2) return NONE
  const means = rows.map(meanOf)
  const grand = rows.reduce((sum, row, at) => sum + row.length * means[at]!, 0) / count
  const between = rows.reduce((sum, row, at) => sum + row.length * (means[at]! - grand) ** 2, 0) / (rows.length - 1)
  if (count === rows.length) return { ...NONE, question: between }
  const within = rows.reduce((sum, row, at) => sum + squaresAround(row, means[at]!), 0) / (count - rows.length)
  const typical = (count - rows.reduce((sum, row) => sum + row.length ** 2, 0) / count) / (rows.length - 1)
  return { ...NONE, question: (between - within) / typical, generation: within }
}

/** Balanced: repeats within questions, judges crossed with both. */
function crossed(rows: readonly Float64Array[], repeats: number, judges: number): Estimates {
  const Q = rows.length
  const [R, J] = [repeats, judges]
  if (Q < 2) return NONE
  const grand = meanOf(Float64Array.from(rows, meanOf))
  const ofQuestion = rows.map(meanOf)
  const ofAnswer = rows.map((row) => Array.from({ length: R }, (_, r) => meanOf(row.subarray(r * J, (r + 1) * J))))
  const ofQuestionJudge = rows.map((row) =>
    Array.from({ length: J }, (_, j) => meanOf(row.filter((_value, at) => at % J === j))),
  )
  const ofJudge = Array.from({ length: J }, (_, j) => meanOf(Float64Array.from(ofQuestionJudge, (means) => means[j]!)))
  const sumOver = (terms: (q: number, r: number, j: number) => number): number => {
    let sum = 0
    for (let q = 0; q < Q; q += 1)
      for (let r = 0; r < R; r += 1) for (let j = 0; j < J; j += 1) sum += terms(q, r, j) ** 2
    return sum
  }
  const questionMs = sumOver((q) => ofQuestion[q]! - grand) / (Q - 1)
  const judgeMs = sumOver((_q, _r, j) => ofJudge[j]! - grand) / (J - 1)
  const interaction = sumOver((q, _r, j) => ofQuestionJudge[q]![j]! - ofQuestion[q]! - ofJudge[j]! + grand)
  const interactionMs = interaction / ((Q - 1) * (J - 1))
  if (R === 1)
    return {
      ...NONE,
      question: (questionMs - interactionMs) / J,
      judge_severity: (judgeMs - interactionMs) / Q,
      residual: interactionMs,
    }
  const answerMs = sumOver((q, r) => ofAnswer[q]![r]! - ofQuestion[q]!) / (Q * (R - 1))
  const residual = sumOver(
    (q, r, j) => rows[q]![r * J + j]! - ofAnswer[q]![r]! - ofQuestionJudge[q]![j]! + ofQuestion[q]!,
  )
  const residualMs = residual / (Q * (R - 1) * (J - 1))
  return {
    question: (questionMs - answerMs - interactionMs + residualMs) / (R * J),
    generation: (answerMs - residualMs) / J,
    judge_severity: (judgeMs - interactionMs) / (Q * R),
    judge_question: (interactionMs - residualMs) / R,
    residual: residualMs,
  }
}

const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

const squaresAround = (values: Float64Array, centre: number): number =>
  values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
