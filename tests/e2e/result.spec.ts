import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import type { ControlEvent } from '../../contract/control/events.ts'
import type { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { metricNamed } from '../../contract/metrics/metrics.ts'
import { eventsUntil } from '../helpers/engine-process.ts'
import { json, startFaultServer } from '../helpers/fault-server.ts'
import { expectOnePrimary, inEachScheme, picture, seriousFindings, test, expectPart } from '../helpers/panel-page.ts'

const RUN = 'ladder-2026-11-20'
const VERDICT = `/runs/${RUN}/verdict?dataset=graph_native`

test('the verdict comes first, then the figures that it rests on, each with a link to its cell', async ({
  page,
  open,
  panel,
}) => {
  const { verdicts } = await panel.client.compare.result({ run_id: RUN })
  const verdict = verdicts.find(({ dataset }) => dataset === 'graph_native')!
  await open(`/runs/${RUN}/verdict?dataset=graph_native`)
  await expect(page.locator('main h2').first()).toHaveText(`Result of ${RUN}`)
  // The first statement is larger than headings of panels, and no part of the sentences is missing beside it.
  const shown = page.getByRole('article', { name: verdict.label })
  await expect(page.getByRole('article').first()).toHaveAccessibleName(verdict.label)
  await expect(shown.getByText(verdict.headline, { exact: true })).toBeVisible()
  await expect(shown.getByRole('list').first().getByRole('listitem')).toHaveText(verdict.notes)
  for (const sentence of [verdict.why, verdict.recommendation!, verdict.next.text])
    await expect(shown.getByText(sentence, { exact: true })).toBeVisible()
  await expect(shown.getByRole('link', { name: verdict.next.label })).toBeVisible()
  await expect(shown.getByText(verdict.headline, { exact: true })).toHaveCSS('font-size', '20px')
  await expect(shown.getByRole('listitem').first()).toHaveCSS('font-size', '13px')
  await expect(page.locator('main h2').first()).toHaveCSS('font-size', '15px')
  await expect(page.getByRole('heading', { name: /^Facts found by level · ladder-2026-11-20$/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: /against median latency/ })).toBeVisible()
  // The cause is one click from the verdict: the cell of the weakest approach, its answer in sight.
  const differing = page.getByRole('region', { name: `Where they differ most, by facts found · ${verdict.label}` })
  const input = { run_id: RUN, dataset_id: 'graph_native', metric: 'facts_found' as const, limit: 1 }
  const { rows, aliases } = await panel.client.matrix.page({ ...input, sort: { by: 'spread', descending: true } })
  const values = rows[0]!.cells.map((cell) => cell?.value ?? Infinity)
  const least = Math.min(...values)
  await expect(differing.getByRole('listitem').first()).toContainText(least.toFixed(2))
  expect(await differing.getByRole('listitem').count()).toBeLessThanOrEqual(5)
  await expect(differing.getByRole('link', { name: 'All questions in the matrix' })).toBeVisible()
  await page.setViewportSize({ width: 1440, height: 900 })
  await differing.getByRole('link', { name: rows[0]!.query! }).click()
  await expect(page).toHaveURL(/#\/runs\/ladder-2026-11-20\/cell\?row=/)
  await expect(
    page.getByRole('heading', { level: 2, name: aliases[values.indexOf(least)]!, exact: true }),
  ).toBeVisible()
  for (const part of [page.getByRole('note', { name: 'Diagnosis' }), page.getByRole('heading', { name: /^Answer/ })])
    await expect(part).toBeInViewport({ ratio: 1 })
})

test('the tabs of a run name its answers, its judges and the measured share of its scores', async ({
  page,
  open,
  panel,
}) => {
  const { cells } = (await panel.client.runs.list({ run_id: RUN })).runs[0]!.datasets.find(
    ({ dataset_id: id }) => id === 'graph_native',
  )!
  const judged = await panel.client.judges.results({ run_id: RUN, dataset_id: 'graph_native', limit: 1 })
  await open(VERDICT)
  const tabs = page.getByRole('navigation', { name: 'Parts of the run' })
  await expect(tabs.getByRole('link', { name: `Matrix ${cells.ok + cells.error + cells.timeout}` })).toBeVisible()
  await expect(tabs.getByRole('link', { name: new RegExp(`^Judges ${judged.judges.length}`) })).toBeVisible()
  await expect(tabs.getByRole('link', { name: /^Coverage \d+ %$/ })).toBeVisible()
})

test('the verdict shows how each approach goes on with the number of hops, as plots and as a table', async ({
  page,
  open,
  panel,
}) => {
  const input = { run_ids: [RUN], dataset_id: 'graph_native', metric: 'facts_found' as const }
  const [point] = (await panel.client.compare.frontier(input)).points
  const group = point!.by_hops.find(({ mean }) => mean !== null)!
  await open(`${VERDICT}&metric=facts_found`)
  const title = /^Facts found by number of hops ·/
  await expect(page.getByRole('img', { name: title })).toContainText(`${group.hops} hop`)
  const row = page.getByRole('table', { name: title }).getByRole('row').nth(1)
  await expect(row).toContainText(`${group.mean!.toFixed(2)} ${group.n}/${group.expected}`)
})

test('every question is listed with its expected and its observed best approach', async ({ page, open, panel }) => {
  const { verdicts } = await panel.client.compare.result({ run_id: RUN })
  const { metric } = verdicts.find(({ dataset }) => dataset === 'graph_native')!
  const input = { run_id: RUN, dataset_id: 'graph_native', metric: metricNamed(metric!)!.id as IndexMetric }
  const { rows, aliases } = await panel.client.matrix.page(input)
  await open(`/runs/${RUN}/verdict?dataset=graph_native`)
  const list = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'Observed best' }) })
  await expect(list.getByRole('rowheader')).toHaveText(rows.map(({ query }) => query!))
  const values = rows.map(({ cells }) => cells.map((cell) => cell?.value ?? -1))
  const isWon = (row: number): boolean => {
    const own = values[row]![aliases.indexOf(rows[row]!.expect_winner!)] ?? -1
    return own >= 0 && values[row]!.every((value, at) => aliases[at] === rows[row]!.expect_winner || value < own)
  }
  const won = rows.filter((_, row) => isWon(row)).length
  await expect(list.getByRole('cell', { name: '● as expected' })).toHaveCount(won)
  await expect(page.getByText(`the expected approach is best alone on ${won}`)).toBeVisible()
  const first = list.getByRole('row').nth(1).getByRole('link').first()
  const shown = await first.innerText()
  await first.click()
  await expect(page).toHaveURL(/#\/runs\/ladder-2026-11-20\/cell\?row=/)
  await expect(page.getByText(shown, { exact: true }).first()).toBeVisible()
})

test('another dataset is chosen on the page, another run in the list, and the link keeps both', async ({
  page,
  open,
}) => {
  await open(`/runs/${RUN}/verdict?dataset=graph_native`)
  await page.getByRole('combobox', { name: 'Dataset' }).click()
  await page.getByRole('option', { name: 'Smoke' }).click()
  await expect(page.getByRole('heading', { name: /against median latency · Smoke/ })).toBeVisible()
  await expect(page.getByRole('article').first()).toHaveAccessibleName('Smoke')
  expect(page.url()).toContain('dataset=smoke')
  await page.getByRole('link', { name: '‹ Runs' }).click()
  await page.getByRole('link', { name: 'Result of ladder-2026-11-18-r2' }).click()
  await expectPart(page, 'ladder-2026-11-18-r2', 'Verdict')
  expect(page.url()).toContain('runs/ladder-2026-11-18-r2')
})

test('the address of each page that a run once had leads to its part, with the view that it held', async ({
  page,
  open,
}) => {
  for (const [old, part, kept] of [
    ['result', 'Verdict', ''],
    ['coverage', 'Coverage', '&gaps=true'],
    ['judges', 'Judges', ''],
    ['matrix', 'Matrix', '&metric=token_f1&hops=[2]'],
  ] as const) {
    await open(`/${old}?run=${RUN}&dataset=graph_native${kept}`)
    await expectPart(page, RUN, part)
    expect(decodeURIComponent(page.url())).toContain(`/runs/${RUN}/${part.toLowerCase()}?dataset=graph_native${kept}`)
  }
  await open(`/ladder?run=${RUN}`)
  await expectPart(page, RUN, 'Progress')
  // Without a name, the newest one.
  await open('/result')
  await expectPart(page, RUN, 'Verdict')
  await open(`/runs/${RUN}`)
  await expectPart(page, RUN, 'Verdict')
})

test('quality against each cost: a link keeps the choice, axes have names, intervals come in', async ({
  page,
  open,
}) => {
  await open(`${VERDICT}&metric=token_f1&cost=total_tokens`)
  const chart = page.getByRole('img', { name: /Token F1 against mean tokens per answer/ })
  await expect(chart).toContainText('mean tokens per answer')
  await expect(chart).toContainText('mean token F1, 95 % interval')
  const table = page.getByRole('region', { name: 'Quality and costs by approach' })
  await expect(table.getByRole('row').nth(1)).toContainText(/\[\d\.\d\d, \d\.\d\d\]/)
  await page.getByRole('radiogroup', { name: 'Cost' }).getByText('Model calls', { exact: true }).click()
  await expect(page.getByRole('img', { name: /against mean model calls per answer/ })).toBeVisible()
  expect(page.url()).toContain('cost=llm_calls')
  const curve = page.getByRole('region', { name: 'Means by level' })
  await expect(curve.getByRole('row').nth(1)).toContainText(/\d\.\d\d \[\d\.\d\d, \d\.\d\d\]/)
})

test('charts are saved as pictures that name what they show', async ({ page, open }) => {
  await open(VERDICT)
  await expect(page.getByRole('region', { name: 'Quality and costs by approach' })).toContainText('[')
  const svg = page.waitForEvent('download')
  const costs = page.locator('section', { has: page.getByRole('heading', { name: /^Facts found against/ }) })
  await costs.getByRole('button', { name: 'Save the chart as SVG' }).click()
  const saved = await svg
  expect(saved.suggestedFilename()).toBe('ladder-2026-11-20-graph_native-facts_found-latency_ms.svg')
  const text = await readFile(await saved.path(), 'utf8')
  for (const words of ['Facts found against median latency', 'contextual', 'lazy-graph']) expect(text).toContain(words)
  expect(text).not.toContain('var(--')
  const png = page.waitForEvent('download')
  await costs.getByRole('button', { name: 'Save the chart as PNG' }).click()
  const bytes = await readFile(await (await png).path())
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(bytes.byteLength).toBeGreaterThan(10_000)
})

test('the verdict is shared as a picture with its headline, figures and chart', async ({ page, open, panel }) => {
  const { verdicts } = await panel.client.compare.result({ run_id: RUN })
  const { headline } = verdicts.find(({ dataset }) => dataset === 'graph_native')!
  // From another tab of the run: the picture needs nothing of what is on the page.
  await open(`/runs/${RUN}/coverage?dataset=graph_native`)
  const save = async (form: string) => {
    await page.getByRole('button', { name: 'Share' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: `Picture of the verdict, ${form}` }).click()
    return download
  }
  const svg = await save('SVG')
  expect(svg.suggestedFilename()).toBe(`${RUN}-graph_native-verdict.svg`)
  const text = await readFile(await svg.path(), 'utf8')
  // A headline of several lines is several elements.
  const words = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  expect(words).toContain(headline)
  for (const part of ['median latency', 'contextual', '95 % interval', RUN]) expect(words).toContain(part)
  expect(text).not.toMatch(/var\(--|class=/)
  const bytes = await readFile(await (await save('PNG')).path())
  expect(bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(bytes.readUInt32BE(16)).toBe(1920)
  await expect(page.getByRole('img', { name: /^Facts found against/ })).toHaveCount(0)
})

test('a run that does not exist is named, and the page names what to do', async ({ page, open }) => {
  await open('/runs/no-such-run/verdict')
  await expect(page.getByRole('main')).toContainText('no-such-run')
})

test.describe('failures', () => {
  test.use({ panelOptions: { own: true, empty: true } })
  test('of the evaluator leave a complete run, whose answers the built-in evaluator scores with one click', async ({
    page,
    open,
    panel,
  }) => {
    const { client } = panel
    const evaluator = await startFaultServer()
    const results = [
      {
        record_index: 0,
        scores: { faithfulness: null, answer_relevancy: null },
        metadata: { metric_errors: { faithfulness: 'CriticReplyError', answer_relevancy: 'CriticReplyError' } },
      },
    ]
    evaluator.script(json({ evaluator_model: 'prose', results }))
    await client.settings.update({ settings: { evaluator_url: `${evaluator.url}/api/rag/evaluate` } })
    const metrics = ['faithfulness', 'answer_relevancy'] as const
    const request = { run_id: 'prose', dataset_ids: ['smoke'], models: ['vanilla-rag'], metrics: [...metrics] }
    await client.runs.start({ ...request, judge: { enabled: false } })
    const isOver = (event: ControlEvent): boolean =>
      event.type === 'run.changed' && ['completed', 'failed'].includes(event.job.state)
    await eventsUntil(client, { after: 0 }, isOver)
    await expect.poll(async () => (await client.runs.list({ limit: 5 })).total).toBe(1)
    await evaluator.close()
    const sentence = '2 graded metrics missing: the model did not write JSON'
    await open('/runs/prose/matrix?dataset=smoke')
    await expect(page.getByRole('note').filter({ hasText: sentence })).toBeVisible()
    await open('/runs/prose/verdict')
    await expect(page.getByRole('note').filter({ hasText: sentence })).toBeVisible()
    await expectOnePrimary(page)
    expect(await seriousFindings(page)).toEqual([])
    await inEachScheme(page, (scheme) => picture(page, `missing-columns-result-${scheme}`))
    await open('/runs/prose/progress')
    await expect(page.getByRole('status').filter({ hasText: sentence })).toBeVisible()
    await expectOnePrimary(page)
    await inEachScheme(page, (scheme) => picture(page, `missing-columns-progress-${scheme}`))
    await page.getByRole('button', { name: 'Use built-in evaluator' }).click()
    await expectPart(page, 'prose-rescored1', 'Progress')
    await expect(page.getByRole('status').filter({ hasText: /prose-rescored1 is complete/ })).toBeVisible({
      timeout: 60_000,
    })
    await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]')
    await expect(page.getByText(/from \d+ rows of this model set/)).toBeVisible()
    await inEachScheme(page, (scheme) => picture(page, `estimates-launch-${scheme}`))
    await client.settings.update({ settings: { evaluator_url: null } })
  })

  test('of a judge leave a complete run, whose answers other judges grade after a look at which', async ({
    page,
    open,
    panel,
  }) => {
    const { client } = panel
    const service = await startFaultServer()
    service.script(json({ choices: [{ message: { role: 'assistant', content: 'I like them all.' } }] }))
    await client.settings.update({ settings: { judge_endpoint: `${service.url}/v1/chat/completions` } })
    const judges = ['builtin-lexical-support', 'chatty-judge']
    const request = { run_id: 'judged', dataset_ids: ['smoke'], models: ['vanilla-rag', 'hybrid-rag'], metrics: [] }
    await client.runs.start({ ...request, judge: { models: judges } })
    await expect.poll(async () => (await client.runs.list({ limit: 5 })).runs[0]?.state).toBe('completed')
    await open('/runs/judged/verdict')
    const note = page.getByRole('note').filter({ hasText: 'judge chatty-judge missing: the model did not write JSON' })
    await note.getByRole('button', { name: 'Judge answers…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText('builtin-semantic-match')).toBeVisible()
    await expect(dialog.getByText('chatty-judge')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Judge answers' }).click()
    await expectPart(page, 'judged', 'Progress')
    await expect(page.getByRole('status').filter({ hasText: /judged is complete/ })).toBeVisible({ timeout: 60_000 })
    await open('/runs/judged/verdict')
    await expect(note).toHaveCount(0)
    await service.close()
    await client.settings.update({ settings: { judge_endpoint: null } })
  })

  test('are retried in a new run, after the page lists what it tries again', async ({ page, open, panel }) => {
    const { client } = panel
    const evaluator = await startFaultServer()
    evaluator.script(json({ detail: 'broken' }, 500))
    await client.settings.update({ settings: { evaluator_url: `${evaluator.url}/api/rag/evaluate` } })
    const request = { run_id: 'unscored', dataset_ids: ['smoke'], models: ['vanilla-rag'] }
    await client.runs.start({ ...request, judge: { enabled: false } })
    const seen = await eventsUntil(
      client,
      { after: 0 },
      (event) => event.type === 'run.changed' && ['completed', 'failed'].includes(event.job.state),
    )
    expect(seen.at(-1)!.event).toMatchObject({ job: { state: 'completed', failures: [] } })
    await expect.poll(async () => (await client.runs.list({ limit: 5 })).total).toBe(1)
    await evaluator.close()
    await client.settings.update({ settings: { evaluator_url: null } })
    // The verdict's next step leads there, and the run is read there.
    for (const part of ['verdict', 'coverage']) {
      await open(`/runs/unscored/${part}`)
      await expect(page.getByRole('button', { name: 'Retry failures…' })).toBeVisible()
    }
    await page.getByRole('button', { name: 'Retry failures…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry failures of unscored in a new run?' })
    const listed = dialog.getByRole('checkbox', { name: '4 answers: not scored, because the evaluator failed' })
    await expect(listed).toBeChecked()
    expect(await seriousFindings(page)).toEqual([])
    await picture(page, 'retry-failures')
    await listed.uncheck()
    await expect(dialog.getByRole('button', { name: 'Retry 0 answers' })).toBeDisabled()
    await listed.check()
    await dialog.getByRole('button', { name: 'Retry 4 answers' }).click()
    await expectPart(page, 'unscored-retry1', 'Progress')
    await expect(page.getByRole('status').filter({ hasText: /unscored-retry1 is complete/ })).toBeVisible({
      timeout: 40_000,
    })
  })
})
