import { describe, expect, it } from 'vitest'
import { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { BlindSets } from '../../../contract/control/judging.ts'
import { eventsUntil, failureOf } from '../../helpers/engine-process.ts'
import { exported } from '../../helpers/engine-runs.ts'
import { BUILTINS } from '../../helpers/judge-panel.ts'
import { MODELS, RUN, engine, client, rowId } from './setup.ts'

describe('a blind round', () => {
  const raw = async (path: string, input: object): Promise<string> => {
    const answer = await fetch(`${engine.url}/control/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${engine.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ json: input }),
    })
    return `${JSON.stringify([...answer.headers])}\n${await answer.text()}`
  }

  it('lets no byte through that names an approach until it is revealed', async () => {
    const { aliases } = await client.experiment.get()
    const names = [...new Set(aliases.flatMap(({ alias, base }) => [alias, base]))]
    expect(names.length).toBeGreaterThan(15)
    expect(await client.judges.state(RUN)).toEqual({ round: 'none', voted: 0, under_way: false })
    expect(await failureOf(client.judges.blindSets(RUN))).toMatchObject({ code: 'not_found' })
    // Before a person begins, the panel's grades are what anyone may read.
    expect((await client.judges.results(RUN)).judges.toSorted()).toEqual(BUILTINS)
    expect(await client.judges.begin({ ...RUN, reference: false })).toEqual({
      round: 'open',
      voted: 0,
      under_way: false,
    })
    const first = await client.judges.blindSets(RUN)
    const letters = first.sets[0]!.answers.map(({ letter }) => letter)
    const scores = Object.fromEntries(letters.map((letter, place) => [letter, (place % 5) + 1]))
    const vote = { set: first.sets[0]!.set, scores, best: letters.at(-1)!, note: 'clear' }
    const bytes = [
      await raw('judges/blindSets', { ...RUN, limit: 50 }),
      await raw('judges/vote', { ...RUN, round_id: first.round_id, vote }),
      await raw('judges/vote', { ...RUN, round_id: first.round_id, vote: { ...vote, scores: {} } }),
      await raw('judges/vote', { ...RUN, round_id: 'another', vote }),
      await raw('judges/results', RUN),
      await raw('judges/blindSets', { ...RUN, offset: 1, limit: 1 }),
    ].join('\n')
    expect(bytes).toContain(first.sets[0]!.answers[0]!.text.slice(0, 40).replaceAll('"', '\\"').split('\n')[0])
    const found = names.filter((name) => bytes.toLowerCase().includes(name.toLowerCase()))
    expect(found).toEqual([])
    expect(bytes).not.toContain(rowId)
  })

  it('hides what the judges gave from every page while it is open', async () => {
    const page = await client.matrix.page({ ...RUN, metric: 'recall_at_5' })
    const grades = page.rows.flatMap(({ cells }) => cells.map((cell) => cell?.judge_mean ?? null))
    expect(new Set(grades)).toEqual(new Set([null]))
    expect(page.rows.every(({ observed_winner: winner }) => winner === null)).toBe(true)
    expect(await client.cells.get({ run_id: RUN.run_id, row_id: rowId })).toMatchObject({ verdicts: [], judging: null })
    const others = await client.cells.others({ run_id: RUN.run_id, row_id: rowId })
    expect(others.cells.every(({ judge_mean: mean }) => mean === null)).toBe(true)
    const [summary] = (await client.runs.summary({ run_id: RUN.run_id })).datasets
    expect(summary!.metrics).not.toContain('judge_mean')
    const metric = 'judge_mean' as const
    for (const ask of [
      () => client.matrix.page({ ...RUN, metric }),
      () => client.matrix.heads({ ...RUN, metric }),
      () => client.statistics.pairs({ ...RUN, metric }),
      () => client.compare.frontier({ run_ids: [RUN.run_id], metric }),
      () => client.compare.runs({ run_ids: [RUN.run_id], metric }),
      () => client.compare.runs({ run_ids: ['none', RUN.run_id], metric, dataset_id: RUN.dataset_id }),
    ])
      expect(await failureOf(ask())).toMatchObject({ code: 'not_revealed' })
    expect((await client.compare.runs({ run_ids: ['none'], metric })).unknown_run_ids).toEqual(['none'])
    for (const ask of [
      async () => exported(client.exports.csv(RUN)),
      async () => exported(client.exports.json({ run_id: RUN.run_id })),
      async () => exported(client.exports.report(RUN)),
      async () => Array.fromAsync(await client.exports.bundle({ run_id: RUN.run_id })),
    ])
      expect(await failureOf(ask())).toMatchObject({
        code: 'not_revealed',
        message: expect.stringMatching(/Reveal the approaches in the tab Judges first/) as string,
      })
    // Evidence has no grades: they are in files of their own.
    expect((await exported(client.exports.cells(RUN))).text).not.toMatch(/judge/)
    const rows = (await exported(client.exports.rows(RUN))).text.trimEnd().split('\n')
    const panels = rows.map((row) => CanonicalRow.parse(JSON.parse(row)).metrics.judge_panel)
    expect(panels).toEqual(rows.map(() => ({ status: 'pending' })))
  })

  it('keeps votes by letters, is revealed once, and only then shows the panel', async () => {
    expect(await failureOf(client.judges.results(RUN))).toMatchObject({ code: 'not_revealed' })
    const before: BlindSets = await client.judges.blindSets({ ...RUN, limit: 50 })
    expect(before).toMatchObject({ revealed: false, total: 4, voted: 1, next_unvoted: 1 })
    for (const { set, answers } of before.sets) {
      const scores = Object.fromEntries(answers.map(({ letter }, place) => [letter, place === 0 ? 5 : 2]))
      await client.judges.vote({ ...RUN, round_id: before.round_id, vote: { set, scores, best: answers[0]!.letter } })
    }
    const bad = { set: before.sets[0]!.set, scores: {} }
    expect(await failureOf(client.judges.vote({ ...RUN, round_id: before.round_id, vote: bad }))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'vote.scores' }] },
    })

    const revealed = await client.judges.reveal({ ...RUN, rater: 'Ada' })
    expect(revealed).toMatchObject({ human: { sets: { voted: 4 } } })
    expect(await client.judges.reveal(RUN)).toEqual(revealed)
    const ones = Object.fromEntries(before.sets[0]!.answers.map(({ letter }) => [letter, 1]))
    const late = { ...RUN, round_id: before.round_id, vote: { ...bad, scores: ones } }
    expect(await failureOf(client.judges.vote(late))).toMatchObject({ code: 'revealed' })
    const results = await client.judges.results(RUN)
    expect(results).toMatchObject({ status: 'ok', total: 4, message: null })
    expect(results.judges.toSorted()).toEqual(BUILTINS)
    expect(results.approaches.map(({ model }) => model).toSorted()).toEqual(MODELS.toSorted())
    expect(results.queries.every(({ human }) => human !== null && human.best !== null)).toBe(true)
    expect(await client.judges.state(RUN)).toEqual({ round: 'closed', voted: 4, under_way: false })
    expect(await failureOf(client.judges.begin(RUN))).toMatchObject({ code: 'revealed' })
    expect((await client.runs.summary({ run_id: RUN.run_id })).datasets[0]!.metrics).toContain('judge_mean')
    const events = await eventsUntil(
      client,
      { after: 0 },
      (event) => event.type === 'notice' && event.message.includes('Ada revealed'),
    )
    expect(events.length).toBeGreaterThan(0)
  })
})
