import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { DECLARABLE_APPROACHES } from '../../contract/approaches.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { smokeProject } from '../helpers/cli.ts'
import { type EngineProcess, eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { BUILTINS } from '../helpers/judge-panel.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { type RecordedAnswer, startRecordingProxy } from '../helpers/recording-proxy.ts'

const PAGES = join(PROJECT_ROOT, 'out/renderer')
/** Lists what approaches use, in any spelling. */
const ENGINES = ['lightrag', 'graphrag', 'weaviate', 'litellm', 'ollama', 'n8n', 'docling', 'sqlite-vec', 'fts5']

const runOnce = async ({ client }: EngineProcess, run_id: string, models: string[], judged: boolean): Promise<void> => {
  await client.runs.start({
    run_id,
    dataset_ids: ['smoke'],
    models,
    judge: judged
      ? {
          enabled: true,
          models: BUILTINS,
          rotations: 2,
        }
      : { enabled: false },
  })
  const seen = await eventsUntil(
    client,
    { after: 0 },
    ({ type, ...event }) =>
      type === 'run.changed' &&
      'job' in event &&
      event.job.run_id === run_id &&
      ['completed', 'failed'].includes(event.job.state),
  )
  expect(seen.at(-1)!.event).toMatchObject({ job: { state: 'completed' } })
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Names that occur in answers of the control API: path and name, once each. */
function namesIn(answers: readonly RecordedAnswer[], names: readonly string[]): string[] {
  const found = answers.flatMap(({ path, headers, body }) => {
    const text = `${path} ${JSON.stringify(headers)} ${body().toString('utf8')}`.toLowerCase()
    return names.filter((name) => text.includes(name.toLowerCase())).map((name) => `${path}: ${name}`)
  })
  return [...new Set(found)]
}

test('from the beginning of a round to its reveal no byte that reaches the page names an approach, on a real engine with a judged run', async ({
  page,
}) => {
  test.setTimeout(180_000)
  const root = await smokeProject()
  const engine = await startEngine(root)
  const proxy = await startRecordingProxy(engine.url)
  try {
    const aliases = [...(await loadExperiment(root)).aliases.keys()]
    expect(aliases).toHaveLength(25)
    const models = [...DECLARABLE_APPROACHES]
    await runOnce(engine, 'judged', models, true)
    const names = [...new Set([...aliases, ...models, ...ENGINES])]

    // The redirect keeps the fragment: the first page that opens is this one.
    const { url } = await engine.client.system.browserLink()
    await page.goto(`${proxy.url}${url.slice(engine.url.length)}#/runs/judged/judges?dataset=smoke`)
    await page.getByRole('button', { name: 'Grade blindly…' }).click()
    await page.getByRole('button', { name: 'Start round' }).click()
    await expect(page.getByRole('group', { name: 'Answer A' })).toBeVisible()
    // A page that opens during the round: everything that it gets counts.
    const begun = proxy.answers.length
    await page.reload()
    await expect(page.getByRole('group', { name: 'Answer A' })).toBeVisible()
    // The actions of other clients are meanwhile sent to the page too: a run with its plan, cells and end.
    await runOnce(engine, 'meanwhile', ['vanilla-rag', 'graph-rag'], false)
    const total = Number(/of (\d+)/.exec(await page.getByText(/^Question 1 of \d+$/).innerText())![1])
    for (let set = 1; set <= total; set += 1) {
      await expect(page.getByText(`Question ${set} of ${total}`)).toBeVisible()
      const cards = await page.getByRole('group', { name: /^Answer / }).count()
      // Answers that are the same word for word are one.
      expect(cards).toBeGreaterThan(0)
      expect(cards).toBeLessThanOrEqual(models.length)
      for (let card = 0; card < cards; card += 1) await page.keyboard.press(String(1 + ((card + set) % 5)))
      await page.keyboard.press('b')
      await expect(page.getByText('● Saved')).toBeVisible()
      await page.keyboard.press('n')
    }
    await expect(page.getByText(`${total} of ${total} graded`)).toBeVisible()
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Search or command' }).fill('rag')
    await page.keyboard.press('Escape')

    const before = proxy.answers.slice(begun)
    const control = before.filter(({ path }) => path.startsWith('/control'))
    expect(control.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/control/judges/blindSets', '/control/judges/vote', '/control/system/events']),
    )
    expect(namesIn(control, names)).toEqual([])
    // Everything else is the program itself, byte for byte as it was built before there was a run.
    const files = proxy.answers.filter(({ path, status }) => !path.startsWith('/control') && status === 200)
    expect(files.length).toBeGreaterThan(3)
    for (const { path: address, body } of files) {
      // The address of a redeemed link carries the page's key.
      const path = address.split('?', 1)[0]!
      const built = await readFile(join(PAGES, path === '/' ? 'index.html' : path))
      expect([path, sha256(body())]).toEqual([path, sha256(built)])
    }

    await page.getByRole('button', { name: 'Reveal approaches…' }).click()
    await expect(page.getByRole('dialog')).toContainText(`${total} of ${total} questions have your vote`)
    await page.getByRole('textbox', { name: 'Your name in the result' }).fill('a tester')
    await page.getByRole('button', { name: 'Reveal and end the vote' }).click()
    await expect(page.getByRole('heading', { name: 'Scores by approach' })).toBeVisible()
    await expect(page.getByRole('rowheader', { name: 'vanilla' }).first()).toBeVisible()
    await expect(page.getByText(`a tester voted on ${total} of ${total} questions`)).toBeVisible()
    // The same search finds the names as soon as they may be there.
    expect(namesIn(proxy.answers.slice(begun + before.length), names)).not.toEqual([])
    expect(engine.errors()).toBe('')
  } finally {
    await page.close()
    await proxy.close()
    await engine.stop()
    await rm(root, { recursive: true, force: true })
  }
})
