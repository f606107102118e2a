import { describe, expect, it } from 'vitest'
import type { TrialFigures, TuningPlan } from '../../../contract/evidence/tuning.ts'
import { joinedFigures, settingResults, tuningSentence, winnerOf, type TuningResult } from './tuning-result.ts'
import { tuningMarkdown, tuningPage } from './tuning-report.ts'
import { heatMap, heatMapLines } from './tuning-tables.ts'

const QUESTIONS = Array.from({ length: 12 }, (_, at) => ({ id: `q${at}`, cluster: `q${at}` }))
const settings = [0, 0.5, 1].flatMap((alpha) => [true, false].map((rerank) => ({ alpha, rerank })))
const plan = (more: Partial<TuningPlan> = {}): TuningPlan => ({
  dataset: 'notes',
  alias: 'hybrid-rag',
  metric: 'facts_found',
  context_budget: 500,
  answers: false,
  search: 'grid',
  seed: '1',
  tuned: ['alpha', 'rerank'],
  settings: [{ alpha: 0.5, rerank: true }, ...settings.filter(({ alpha, rerank }) => alpha !== 0.5 || !rerank)],
  parameters: {},
  rounds: [QUESTIONS.map(({ id }) => id)],
  holdout: ['h1', 'h2'],
  questions_sha256: 'a'.repeat(64),
  corpus_digest: 'digest',
  models: {},
  ...more,
})
const figures = (scores: (number | null)[], tokens = 500, seconds = 1): TrialFigures => ({
  scores,
  tokens: scores.map((score) => (score === null ? null : tokens)),
  seconds: scores.map((score) => (score === null ? null : seconds)),
  failed: scores.filter((score) => score === null).length,
  failure: null,
  calls: { questions: scores.length, embedded: 1, reranked: 2, chats: 0 },
  wall_ms: 10,
})
const all = (score: number): number[] => QUESTIONS.map((_, at) => score + (at % 3) * 0.01)

function resultOf(by: Map<number, TrialFigures>, more: Partial<TuningResult> = {}): TuningResult {
  const results = settingResults(plan(), by, QUESTIONS)
  const { calls, wall_ms } = joinedFigures([...by.values()])
  return {
    schema_version: 1,
    name: 'notes-hybrid',
    plan: plan(),
    settings: results,
    winner: winnerOf(results).setting,
    development: { questions: 12, clusters: 12 },
    holdout: { questions: 2, clusters: 2 },
    opening: null,
    confirmed: null,
    calls,
    wall_ms,
    ...more,
  }
}

const SIX = new Map(
  [0.5, 0.4, 0.7, 0.7, 0.2, 0.3].map((score, at) => [
    at,
    figures(all(score), at === 3 ? 400 : 500, at === 4 ? 0.1 : 1),
  ]),
)

describe('the result of a tuning', () => {
  it('takes the best setting, among equals the one that hands over less, and the alias as it is among its equals', () => {
    expect(resultOf(SIX).winner).toBe(3)
    expect(
      resultOf(
        new Map([
          [0, figures(all(0.5))],
          [1, figures(all(0.5), 100)],
        ]),
      ).winner,
    ).toBe(0)
  })

  it('lets no setting win that failed more than a tenth of its questions', () => {
    const failing = figures([null, null, ...all(1).slice(2)])
    const by = new Map([
      [0, figures(all(0.5))],
      [1, failing],
      [2, figures(all(0.6))],
    ])
    expect(resultOf(by).winner).toBe(2)
  })

  it('corrects each setting over all of them, and marks the frontier of quality, tokens and time', () => {
    const { settings: of } = resultOf(SIX)
    expect(of[0]!.p).toBeNull()
    expect(of[2]!.p).toBeLessThan(0.01)
    expect(of[4]!.p).toBe(1)
    expect(of.filter(({ isOnFrontier }) => isOnFrontier).map(({ setting }) => setting)).toEqual([3, 4])
  })

  it('tests nothing on development after halving, whose later rounds depend on the earlier ones', () => {
    const of = settingResults(plan({ search: 'halving' }), SIX, QUESTIONS)
    expect(of.every(({ p }) => p === null)).toBe(true)
  })

  const confirmed = {
    questions: 20,
    clusters: 20,
    winner: 0.7,
    standard: 0.5,
    difference: 0.2,
    low: 0.1,
    high: 0.3,
    p: 0.001,
    level: 0.96,
  }

  it('claims no more than the holdout shows', () => {
    const sentence = (more: Partial<TuningResult>): string => tuningSentence(resultOf(SIX, more))
    expect(sentence({})).toContain('proves nothing')
    expect(sentence({ opening: 1, confirmed: { state: 'confirmed', ...confirmed } })).toMatchInlineSnapshot(
      `"Confirmed: alpha=0.5 rerank=false is better than hybrid-rag as it is: facts found +0.20 [+0.10, +0.30] on 20 questions that no trial had seen; the holdout was opened for the first time, tested at 4 %."`,
    )
    expect(
      sentence({ opening: 3, confirmed: { state: 'open', ...confirmed, low: -0.1, level: 0.9984 } }),
    ).toMatchInlineSnapshot(
      `"Not confirmed: the holdout does not show that alpha=0.5 rerank=false, the best of 5 settings on development, is better than hybrid-rag as it is: facts found +0.20 [−0.10, +0.30] on 20 questions that no trial had seen; the holdout was opened 3 times so far, corrected for it: tested at 0.16 %."`,
    )
    expect(sentence({ opening: 1, confirmed: { state: 'worse', ...confirmed } })).toMatch(/^Refuted/)
    expect(sentence({ opening: 1, confirmed: { state: 'too_few', ...confirmed, clusters: 5 } })).toMatch(
      /^Not tested: the holdout has 5/,
    )
    expect(sentence({ winner: 0 })).toContain('The holdout stays sealed')
  })

  it('has a map over two parameters, in text, Markdown and the page', () => {
    const result = resultOf(SIX)
    const map = heatMap(result, null)!
    expect(map).toMatchObject({ names: ['alpha', 'rerank'], rows: [0, 0.5, 1], columns: [false, true] })
    expect(heatMapLines(map, result)).toMatchInlineSnapshot(`
      [
        "alpha ↓  rerank →   false    true",
        "0                  █ 0.71  ▒ 0.41",
        "0.5                █ 0.71  ▓ 0.51",
        "1                  ░ 0.31  ░ 0.21",
      ]
    `)
    expect(heatMap(result, ['alpha'])).toBeNull()
    expect(tuningMarkdown(result)).toContain('| alpha ↓ rerank → | false | true |')
    const page = tuningPage(result)
    expect(page).toContain('<caption>Mean over all settings with both values</caption>')
    expect(page).not.toContain('<script')
  })

  it('shows values of hostile settings as text', () => {
    const hostile = resultOf(SIX)
    const [first] = hostile.settings
    first!.values = { alpha: '<img src=x>|`', rerank: true }
    expect(tuningPage(hostile)).not.toContain('<img')
    expect(tuningMarkdown(hostile)).not.toContain('|`|')
  })
})
