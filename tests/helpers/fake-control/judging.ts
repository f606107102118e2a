import type { BlindSets, BlindVote, JudgeResults } from '../../../contract/control/judging.ts'
import type { MetricComparison } from '../../../contract/evidence/statistics.ts'
import type { HumanJudgments, JudgedQuery, JudgedRotation } from '../../../contract/index.ts'
import { agreementWith } from '../../../main/judge/human/import-votes.ts'
import { panelApproaches, panelStatistics } from '../../../main/judge/panel-statistics.ts'
import { queryOutcome, verdictOfRotations } from '../../../main/judge/query-outcome.ts'
import { comparePairs } from '../../../main/statistics/compare-pairs.ts'
import { cellDetail } from './cells.ts'
import { cellOf, draw, type FakeDataset, sha, type World } from './world.ts'

const JUDGES = ['rule-judge-a', 'qwen3:8b', 'a-judge-with-a-rather-long-name-of-a-provider/llama3.3:70b-instruct']
const ROTATIONS = 2
const SEED = 'fake'

interface FakeRound {
  dataset: FakeDataset
  sets: BlindSets['sets']
  /** By set: who is behind A, B, …. */
  order: Map<string, { questionId: string; models: string[] }>
  votes: Map<string, BlindVote>
  rater: string | null
}

export class RoundRefused extends Error {
  readonly control: { code: 'revealed' | 'not_revealed' | 'input_invalid'; message: string; retryable: false }
  constructor(code: 'revealed' | 'not_revealed' | 'input_invalid', message: string) {
    super(message)
    this.control = { code, message, retryable: false }
  }
}

const byDraw = (models: readonly string[], seed: string): string[] =>
  models.toSorted((a, b) => draw(`${seed}/${a}`) - draw(`${seed}/${b}`))
const letterOf = (place: number): string => String.fromCharCode(65 + place)

/** Blind rounds and a panel over the fake's answers: grades are drawn, every figure is made by the project's own statistics. */
export class FakeJudging {
  readonly #world: World
  readonly #hostile: boolean
  readonly #rounds = new Map<string, FakeRound>()

  constructor(world: World, hostile: boolean) {
    this.#world = world
    this.#hostile = hostile
  }

  sets(run: string, dataset: FakeDataset, aliases: readonly string[], offset: number, limit: number): BlindSets {
    const round = this.#round(run, dataset, aliases)
    const shown = round.sets.slice(offset, offset + limit)
    const next = round.sets.findIndex(({ set }) => !round.votes.has(set))
    return {
      ...{ round_id: `round-${sha(run + dataset.view.id).slice(0, 8)}`, commitment: sha(`seal ${run}`) },
      ...{ revealed: round.rater !== null, total: round.sets.length, voted: round.votes.size, blocked: 1, offset },
      sets: shown,
      votes: shown.flatMap(({ set }) => round.votes.get(set) ?? []),
      next_unvoted: next < 0 ? null : next,
    }
  }

  vote(run: string, dataset: FakeDataset, aliases: readonly string[], vote: BlindVote) {
    const round = this.#round(run, dataset, aliases)
    if (round.rater !== null) throw new RoundRefused('revealed', 'the approaches were revealed: no more votes')
    const letters = round.sets.find(({ set }) => set === vote.set)?.answers.map(({ letter }) => letter) ?? []
    if (letters.some((letter) => vote.scores[letter] === undefined))
      throw new RoundRefused('input_invalid', 'vote.scores: a grade is missing')
    round.votes.set(vote.set, vote)
    return { voted: round.votes.size, total: round.sets.length }
  }

  reveal(run: string, dataset: FakeDataset, aliases: readonly string[], rater: string) {
    const round = this.#round(run, dataset, aliases)
    round.rater ??= rater
    return { revealed_at: '2026-11-20T10:00:00.000Z', voted: round.votes.size, human: null }
  }

  results(run: string, dataset: FakeDataset, aliases: readonly string[], offset: number, limit: number): JudgeResults {
    const round = this.#round(run, dataset, aliases)
    if (round.rater === null) throw new RoundRefused('not_revealed', 'reveal the approaches first')
    const queries = this.#queries(run, dataset, aliases)
    const panel = panelStatistics({
      ...{ judges: JUDGES, models: aliases, rotations: ROTATIONS, queries, failures: [], seed: SEED },
      documents: new Map(),
    })
    const graded = personsQueries(round)
    const judged = new Map(queries.map((query) => [query.query_id, query]))
    const human: JudgeResults['human'] =
      graded.length === 0
        ? null
        : {
            ...{ schema_version: 1, round_id: 'round', run_id: run, dataset_id: dataset.view.id, rater: round.rater },
            ...{ commitment: sha('seal'), votes_sha256: sha('votes') },
            sets: { voted: graded.length, offered: round.sets.length },
            approaches: aliases.map((model) => ({
              model,
              mean: graded.reduce((sum, { scores }) => sum + scores[model]!, 0) / graded.length,
              questions: graded.length,
              votes: graded.filter(({ best }) => best === model).length,
            })),
            agreement: JUDGES.map((judge) => agreementWith(judge, graded, judged)),
          }
    const notes = new Map([...round.votes.values()].map((vote) => [round.order.get(vote.set)!.questionId, vote.note]))
    return {
      ...{ status: 'ok', message: null, judges: JUDGES, panel, human, total: queries.length, offset },
      runtime: {
        ...{ prompt_version: 1, endpoint: 'platform-gateway', temperature: 0, think: null, rotations: ROTATIONS },
        ...{ reference: true, answer_cap: 6000 },
        judges: JUDGES.map((name, place) => ({ name, family: name, kind: place === 0 ? 'builtin' : 'chat' })),
      },
      approaches: panelApproaches(queries, aliases),
      withheld: [
        {
          query_id: 'gn-01',
          leaks: [{ kind: 'alias' as const, text: 'hybrid-rag', found_in: 'vanilla-rag' }],
        },
      ],
      blocked: [
        { query_id: 'gn-00', leaks: [{ kind: 'engine', text: 'the name of a product', found_in: 'question' }] },
      ],
      errors: [],
      queries: queries.slice(offset, offset + limit).map((query) => {
        const own = graded.find(({ query_id: id }) => id === query.query_id)
        const person = own === undefined ? null : { scores: own.scores, best: own.best, note: notes.get(own.query_id)! }
        return { query, human: person }
      }),
    }
  }

  /** `statistics.pairs` of the panel's means. */
  pairs(run: string, dataset: FakeDataset, aliases: readonly string[]): MetricComparison {
    const queries = this.#queries(run, dataset, aliases)
    return comparePairs(
      {
        metric: 'judge_mean',
        questions: queries.map(({ query_id: id }) => ({ id, cluster: id })),
        approaches: aliases,
        scores: Float64Array.from(queries.flatMap((query) => aliases.map((model) => query.mean_by_approach[model]!))),
        lowerIsBetter: false,
      },
      { seed: SEED, method: 'student' },
    )
  }

  #round(run: string, dataset: FakeDataset, aliases: readonly string[]): FakeRound {
    const key = `${run} ${dataset.view.id}`
    const known = this.#rounds.get(key)
    if (known !== undefined) return known
    const order: FakeRound['order'] = new Map()
    const sets = dataset.questions.slice(1).map((question, index) => {
      const set = `set-${String(index + 1).padStart(3, '0')}`
      const models = byDraw(aliases, `${run}/${question.id}`)
      order.set(set, { questionId: question.id, models })
      return {
        ...{ set, question: question.query, reference: question.ground_truth },
        answers: models.map((alias, place) => ({
          letter: letterOf(place),
          text: this.#answer(run, dataset, question, alias),
        })),
      }
    })
    const made: FakeRound = { dataset, sets, order, votes: new Map(), rater: null }
    this.#rounds.set(key, made)
    return made
  }

  #answer(run: string, dataset: FakeDataset, question: FakeDataset['questions'][number], alias: string): string {
    const cell = cellDetail(this.#world, { run, dataset, question, alias, hostile: this.#hostile })
    return cell.kind === 'canonical' ? (cell.row.evidence?.answer ?? '') : ''
  }

  #queries(run: string, dataset: FakeDataset, aliases: readonly string[]): JudgedQuery[] {
    return dataset.questions.slice(1).map((question) => {
      const grade = (judge: string, model: string, rotation: number, place: number): number => {
        const value = cellOf(this.#world, run, dataset.view.id, question.id, model, 'answer_relevancy').value ?? 0.2
        const noise = draw(`${judge}/${question.id}/${model}/${rotation}`) - 0.5
        const lean = judge === JUDGES[1] ? -0.12 * place : 0
        return Math.min(5, Math.max(1, Math.round(1 + 4 * value + noise * 1.6 + lean)))
      }
      const perJudge = JUDGES.flatMap((judge) => {
        const rotations = Array.from({ length: ROTATIONS }, (_, rotation): JudgedRotation => {
          const order = byDraw(aliases, `${judge}/${question.id}/${rotation}`)
          const scores = Object.fromEntries(order.map((model, place) => [model, grade(judge, model, rotation, place)]))
          const best = order.toSorted((a, b) => scores[b]! - scores[a]!)[0]!
          const reasons = Object.fromEntries(
            order.map((model) => [model, `Names ${scores[model]} of the facts that the question asks for.`]),
          )
          return { rotation, order, scores, best, reasons, attempts: 1 }
        })
        const verdict = verdictOfRotations(rotations, aliases)
        return verdict === null ? [] : [[judge, verdict] as const]
      })
      return {
        ...{ query_id: question.id, query: question.query, expect_winner: question.expect_winner },
        per_judge: Object.fromEntries(perJudge),
        ...queryOutcome(
          perJudge.map(([, verdict]) => verdict),
          aliases,
        ),
        answers: Object.fromEntries(
          aliases.map((model) => {
            const text = this.#answer(run, dataset, question, model)
            const shown = { answered: true, characters: text.length, capped: false, neutralized: false }
            return [model, { ...shown, sha256: sha(text) }]
          }),
        ),
      }
    })
  }
}

function personsQueries({ votes, order }: FakeRound): HumanJudgments['queries'] {
  return [...votes.values()].map(({ set, scores, best }) => {
    const { questionId, models } = order.get(set)!
    const modelOf = (letter: string): string => models[letter.charCodeAt(0) - 65]!
    return {
      query_id: questionId,
      scores: Object.fromEntries(Object.entries(scores).map(([letter, grade]) => [modelOf(letter), grade])),
      best: best === null ? null : modelOf(best),
    }
  })
}
