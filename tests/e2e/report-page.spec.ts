import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test as base, type Page } from '@playwright/test'
import { aggregateText } from '../../main/report/aggregate/aggregate-run.ts'
import { aggregateRun } from '../helpers/aggregate-run.ts'
import { ladderPage } from '../../main/report/html/ladder-page.ts'
import { comparedContext, comparedRows, goldenJudgments, streamOf, wideDataset } from '../helpers/report-rows.ts'

interface Published {
  folder: string
  /** Serves the folder as any plain web server would. */
  address: string
  names: string[]
}

/** A report of two rungs beside the files that it was made from. */
const test = base.extend<{ published: Published }>({
  published: async ({ browserName: _ }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-report-'))
    const datasets = [wideDataset('one', 'Rung one', 1), wideDataset('two', 'Rung two', 2)]
    const aggregates = await Promise.all(
      datasets.map((dataset) =>
        aggregateRun(streamOf(comparedRows(dataset)), {
          ...comparedContext(dataset),
          judge: { state: 'read', judgments: goldenJudgments(dataset) },
        }),
      ),
    )
    const artifacts = await Promise.all(
      aggregates.map(async (aggregate) => {
        const [href, text] = [`run-${aggregate.dataset.id}-evaluation.json`, aggregateText(aggregate)]
        await writeFile(join(folder, href), text)
        return { datasetId: aggregate.dataset.id, href, sha256: createHash('sha256').update(text).digest('hex') }
      }),
    )
    await writeFile(join(folder, 'ladder.html'), await ladderPage({ aggregates, artifacts }))
    const server = await serve(folder)
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ladder.html`
    await use({ folder, address, names: artifacts.map(({ href }) => href) })
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true, force: true })
  },
})

async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    readFile(join(folder, decodeURI(request.url!))).then(
      (bytes) =>
        response.setHeader('content-type', request.url!.endsWith('.html') ? 'text/html' : 'text/plain').end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const banner = (page: Page) => page.locator('#integrity')

test('reports on opening that the files beside it are those that its figures come from', async ({
  page,
  published,
}) => {
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(published.address)
  await expect(banner(page)).toHaveText('● All 2 files beside this page are those that its figures come from.')
  await expect(page.locator('.check')).toHaveText(['● same', '● same'])
  expect(complaints).toEqual([])
})

test('reports one that was altered by a byte, and names it', async ({ page, published }) => {
  const [name] = published.names
  const file = join(published.folder, name!)
  await writeFile(file, (await readFile(file, 'utf8')).replace('1', '2'))
  await page.goto(published.address)
  await expect(banner(page)).toHaveClass('banner changed')
  await expect(banner(page)).toContainText(`1 of 2 files match; 1 changed (${name!})`)
  await expect(page.locator('.check')).toHaveText(['▲ changed', '● same'])
  await rm(file)
  await page.reload()
  await expect(banner(page)).toContainText(`1 missing (${name!})`)
})

test('opened from disk it compares the files that a person chooses', async ({ page, published }) => {
  const { folder, names } = published
  await page.goto(pathToFileURL(join(folder, 'ladder.html')).href)
  await expect(banner(page)).toContainText('Opened from disk')
  const choose = (chosen: string[]) =>
    page.locator('#integrity input').setInputFiles(chosen.map((name) => join(folder, name)))
  await choose(names.slice(0, 1))
  await expect(banner(page)).toContainText('1 of 2 files match; 1 not chosen.')
  await choose(names)
  await expect(banner(page)).toHaveText('● All 2 files beside this page are those that its figures come from.')
})

test('needs no script, and fits a narrow page', async ({ browser, published }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto(published.address)
  await expect(banner(page)).toContainText('no script has run')
  await expect(page.getByRole('heading', { name: 'How the approaches compare' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'recall@5 up the ladder' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'points covered: leaderboard' })).toBeVisible()
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await page.evaluate(overflow)).toBe(0)
  await context.close()
})
