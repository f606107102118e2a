import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { picture, seriousFindings, test, fitsWidth } from '../helpers/panel-page.ts'
import { seedRun } from '../helpers/seeded-project.ts'

const RUN = 'ladder-2026-11-20'
const OTHER = 'ladder-2026-11-18-r2'

test.use({ panelOptions: { own: true } })

test('a run gets a star, a tag and a note, is found by them, run again, deleted and restored', async ({
  page,
  open,
}) => {
  await open('/runs')
  const list = page.getByRole('region', { name: 'Runs' }).first()
  const row = (run: string) => list.getByRole('row').filter({ has: page.getByRole('rowheader', { name: run }) })
  await expect(row(RUN)).toContainText(/Top group: hybrid-rag/)
  await page.getByRole('button', { name: `Star ${RUN}` }).click()
  await expect(page.getByRole('button', { name: `Remove the star of ${RUN}` })).toBeVisible()
  await page.getByRole('button', { name: `Details of ${RUN}` }).click()
  await expect(page.getByRole('region', { name: 'Settings' })).toContainText('Model set')
  await page.getByLabel('Note', { exact: true }).fill('Baseline before the new chunks')
  await page.getByLabel('Tags').fill('baseline, keep')
  await page.getByRole('button', { name: 'Save notes' }).click()
  await expect(row(RUN)).toContainText('Baseline before the new chunks')
  expect(await seriousFindings(page)).toEqual([])
  await picture(page, 'runs-details', { fullPage: true })
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await fitsWidth(page)).toBe(true)
  for (const width of [420, 900]) {
    await page.setViewportSize({ width, height: 900 })
    const seen = (await list.boundingBox())!
    const settings = (await page.getByRole('region', { name: 'Settings' }).boundingBox())!
    expect(settings.x + settings.width, `the details at ${width}`).toBeLessThanOrEqual(seen.x + seen.width)
  }
  await page.setViewportSize({ width: 420, height: 900 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture(page, 'runs-details-narrow', { fullPage: true })
  await page.setViewportSize({ width: 1440, height: 900 })
  await picture(page, 'runs-details-dark', { fullPage: true })

  await page.getByRole('link', { name: `Result of ${RUN}` }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('menuitem', { name: 'Bundle for another installation' }).click()
  expect((await download).suggestedFilename()).toBe(`${RUN}.bundle.zip`)
  await page.getByRole('link', { name: '‹ Runs' }).click()
  await page.getByRole('button', { name: 'Import bundle' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Zip file').fill('/no/such/file.zip')
  await form.getByRole('button', { name: 'Import bundle' }).click()
  await expect(form).toContainText('/no/such/file.zip cannot be read')
  await form.getByRole('button', { name: 'Cancel' }).click()

  await page.getByLabel('Starred only').check()
  await expect(row(OTHER)).toHaveCount(0)
  // A run of several datasets names the one of each verdict.
  await expect(row(RUN)).toContainText('Graph-native dossiers: ')
  await page.getByLabel('Starred only').uncheck()
  await page.getByLabel('Filter by name, note, dataset or approach').fill('baseline')
  await expect(row(OTHER)).toHaveCount(0)

  await page.getByRole('button', { name: `Details of ${RUN}` }).click()
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(page.getByRole('heading', { name: 'Which approaches?' })).toBeVisible()
  await page.getByRole('button', { name: 'Next: Models' }).click()
  await expect(page.getByLabel('Run name')).toHaveValue('ladder-2026-11-20-r2')

  await open(`/runs?run=${OTHER}`)
  await page.getByRole('button', { name: 'Delete run' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('leave every page')
  await dialog.getByRole('button', { name: 'Delete run' }).click()
  await expect(page.getByRole('button', { name: `Restore ${OTHER}` })).toBeVisible()
  await expect(row(OTHER)).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(OTHER)).toHaveCount(1)
})

test('a run is renamed in place, and keeps its id', async ({ page, open }) => {
  await open(`/runs/${RUN}/verdict`)
  await page.getByRole('button', { name: `Rename ${RUN}` }).click()
  const label = page.getByLabel('Label of the run')
  await expect(label).toBeFocused()
  await label.fill('Larger <b>chunks</b>')
  await label.press('Escape')
  await expect(page.getByRole('heading', { level: 1, name: RUN })).toBeVisible()
  await expect(page.getByRole('button', { name: `Rename ${RUN}` })).toBeFocused()
  await page.getByRole('button', { name: `Rename ${RUN}` }).click()
  await label.fill('Larger <b>chunks</b>')
  await label.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Larger <b>chunks</b>' })).toBeVisible()
  await expect(page.locator('main header').getByText(RUN, { exact: true })).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('menuitem', { name: 'Report, HTML' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain(
    `<title>RAG Ladder: Larger &lt;b&gt;chunks&lt;/b&gt; (${RUN})</title>`,
  )
  for (const address of ['/', '/runs', `/runs/compare?run=${RUN}&runs=["${OTHER}"]`]) {
    await open(address)
    await expect(page.getByText('Larger <b>chunks</b>').first()).toBeVisible()
    await expect(page.getByText(RUN).first()).toBeVisible()
  }
  await open(`/runs/${RUN}/verdict`)
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search or command' }).fill('larger')
  await expect(page.getByText(`Larger <b>chunks</b> · ${RUN}`)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Rename ${RUN}` }).click()
  await label.fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: RUN })).toBeVisible()
})

/** A run of a dataset that no other run has. */
const seedAlone = async (root: string): Promise<void> =>
  seedRun(root, await loadExperiment(root), {
    runId: 'alone',
    datasetId: 'baseline_curated',
    finishedAt: '2026-11-12T09:14:02.000Z',
  })

test.describe('a run of another dataset', () => {
  test.use({ panelOptions: { own: true, prepare: seedAlone } })
  test('two ticked runs are compared; runs that share no questions cannot be ticked beside them', async ({
    page,
    open,
  }) => {
    await open('/runs')
    const tick = (run: string) => page.getByRole('checkbox', { name: new RegExp(`^Tick ${run} to compare it`) })
    await expect(page.getByText('Tick two runs that asked the same questions')).toBeVisible()
    await tick(OTHER).check()
    await expect(page.getByText(`${OTHER} is ticked.`)).toBeVisible()
    await expect(tick('alone')).toBeDisabled()
    await expect(tick('alone')).toHaveAccessibleName(`Tick alone to compare it: It shares no questions with ${OTHER}.`)
    // With one run ticked, every other one that asked the same questions is one click from the comparison.
    await expect(page.getByRole('link', { name: `Compare ${RUN} with ${OTHER}` })).toBeVisible()
    await expect(page.getByRole('link', { name: /^Compare alone with/ })).toHaveCount(0)
    await tick(RUN).check()
    // The selection is part of the link.
    await page.reload()
    await expect(page.getByText(`${RUN} and ${OTHER} are ticked.`)).toBeVisible()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Compare' })).toBeVisible()
    await expect(page.getByRole('columnheader', { name: RUN }).first()).toBeVisible()
    await expect(page.getByRole('region', { name: 'Differences between runs' }).getByRole('row')).not.toHaveCount(0)
    await expect(page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Runs' })).toHaveAttribute(
      'aria-current',
      'page',
    )
  })
})

test('two runs are compared question by question, and a cell that differs gets a flag and a note', async ({
  page,
  open,
  panel,
}) => {
  const { changed } = await panel.client.compare.runs({
    run_ids: [RUN, OTHER],
    metric: 'faithfulness',
    dataset_id: 'graph_native',
    limit: 500,
  })
  expect(changed.total).toBeGreaterThan(0)
  await open(`/compare?run=${RUN}&dataset=graph_native&metric=faithfulness&runs=["${OTHER}"]`)
  const list = page.getByRole('region', { name: 'Question by question' })
  await expect(list.getByRole('row')).toHaveCount(changed.cells.length + 1)
  await picture(page, 'compare-questions', { fullPage: true })
  await page.getByText(/^Worse here \d/).click()
  const worse = changed.cells.filter(
    ({ values: [own, other] }) => typeof own === 'number' && typeof other === 'number' && own < other,
  )
  await expect(list.getByRole('row')).toHaveCount(worse.length + 1)
  await expect(list.getByRole('link').nth(1)).toHaveAttribute('href', new RegExp(`runs/${OTHER}/cell`))
  await list.getByRole('link').first().click()
  await expect(page).toHaveURL(new RegExp(`runs/${RUN}/cell.row=${worse[0]!.row_ids[0]!}`))
  await page.getByText('Note', { exact: true }).click()
  await page.getByLabel('Flag this answer').check()
  await page.getByRole('textbox', { name: 'Note' }).fill('Wrong document')
  await page.getByRole('button', { name: 'Save note' }).click()
  expect(await seriousFindings(page)).toEqual([])
  await expect
    .poll(() => panel.client.cells.notes({ run_id: RUN }))
    .toEqual({ cells: [{ row_id: worse[0]!.row_ids[0], flagged: true, note: 'Wrong document' }] })
  await open(`/runs?run=${RUN}`)
  await page.getByRole('link', { name: 'Wrong document' }).click()
  await expect(page.getByRole('textbox', { name: 'Note' })).toHaveValue('Wrong document')
})

/** A third run, made before a question was reworded. */
async function seedReworded(root: string): Promise<void> {
  const file = join(root, 'manifests/datasets/smoke.yaml')
  const now = await readFile(file, 'utf8')
  await writeFile(file, now.replace('Which seal part takes the place of TQ-181?', 'What replaces the seal TQ-181?'))
  await seedRun(root, await loadExperiment(root), {
    runId: 'reworded',
    datasetId: 'smoke',
    finishedAt: '2026-11-10T09:14:02.000Z',
  })
  await writeFile(file, now)
}

test.describe('the trend over runs', () => {
  test.use({ panelOptions: { own: true, prepare: seedReworded } })
  test('joins runs of the same questions and documents, and lists others with the reason', async ({ page, open }) => {
    await open('/runs?trend=smoke')
    const figures = page.getByRole('region', { name: 'Means by run' })
    // The newest first; each run leads to its result.
    await expect(figures.getByRole('row')).toHaveCount(3)
    await expect(figures.getByRole('row').nth(1)).toContainText(RUN)
    await expect(figures.getByRole('row').nth(2)).toContainText(OTHER)
    await expect(page.getByRole('img', { name: /^Trend over runs: / })).toBeVisible()
    const apart = page.getByRole('region', { name: 'With other questions or documents' }).last()
    await expect(apart.getByRole('row')).toHaveCount(2)
    await expect(apart).toContainText('reworded')
    await expect(apart).toContainText('other questions: 3 of 4 are the same')
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('img', { name: /^Trend over runs: / }).scrollIntoViewIfNeeded()
    await picture(page, 'trend')

    await apart.getByRole('button', { name: 'Compare with it' }).click()
    await expect(page.getByText('No other run asks the same questions of the same documents.')).toBeVisible()
    await expect(figures.getByRole('row')).toHaveCount(2)
    expect(page.url()).toContain('of=reworded')
    await figures.getByRole('link', { name: 'reworded' }).click()
    await expect(page.locator('main h2').first()).toHaveText('Result of reworded')
  })
})
