import { createHash } from 'node:crypto'
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { startFileServer, type FileServer } from '../helpers/file-server.ts'
import { fitsWidth, picture, seriousFindings, test } from '../helpers/panel-page.ts'

const BYTES = Buffer.from(`GGUF${'\0'.repeat(60_000)}`)

let hub: FileServer
/** An address where nothing listens. */
let closed: string
test.beforeAll(async () => {
  const other = await startFileServer()
  closed = other.url
  await other.close()
  hub = await startFileServer()
  hub.files.set('/small.gguf', BYTES)
})
test.afterAll(() => hub.close())

/** A catalogue whose files are on the hub of this spec, one model for each job. */
async function prepare(root: string): Promise<void> {
  const model = (id: string, job: string, more: object) => ({
    id,
    job,
    source_page: 'https://example.org/',
    license: 'Apache-2.0',
    languages: ['en'],
    ...more,
  })
  const file = (id: string, url: string, memory: number) => ({
    run_by: { backend: 'gguf' },
    memory_mib: memory,
    context: 8192,
    files: [
      { path: `${id}.gguf`, url, size_bytes: BYTES.length, sha256: createHash('sha256').update(BYTES).digest('hex') },
    ],
  })
  const models = [
    model('tiny', 'small-language-model', file('tiny', `${hub.url}/small.gguf`, 1)),
    model('far', 'middle-language-model', file('far', `${closed}/far.gguf`, 1)),
    model('giant', 'large-language-model', file('giant', `${hub.url}/small.gguf`, 900_000_000)),
    model('minilm', 'embedding', { run_by: { backend: 'onnx', model: 'Xenova/minilm' } }),
    model('all-minilm-l6-v2', 'embedding', {
      ...file('', `${hub.url}/small.gguf`, 1),
      run_by: { backend: 'onnx' },
      files: [{ ...file('', `${hub.url}/small.gguf`, 1).files[0], path: 'all-minilm-l6-v2/onnx/model_quantized.onnx' }],
    }),
    model('cross', 'reranker', { run_by: { backend: 'onnx', model: 'Xenova/cross' } }),
    model('parakeet', 'recognizer', { run_by: { service: 'stt', model: 'parakeet' } }),
    model('kokoro', 'voice', { run_by: { service: 'tts', model: 'kokoro' } }),
    model('tables', 'table', { run_by: { service: 'converter', model: 'tables' } }),
    model('letters', 'ocr', { run_by: { service: 'converter', model: 'letters' } }),
  ]
  await writeFile(join(root, 'manifests/model-catalogue.yaml'), JSON.stringify({ version: 1, models }))
}

test.use({ panelOptions: { own: true, prepare } })

const region = (page: Page) => page.getByRole('region', { name: 'Models to download' }).first()
const rowOf = (page: Page, id: string) =>
  region(page)
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: id, exact: true }) })
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

test('Home and New run offer embeddings of a model with their size, download them, and take their set', async ({
  page,
  open,
  panel,
}) => {
  const offer = page.getByRole('region', { name: 'Embeddings of a model' })
  await open('/launch?step=3')
  await expect(offer).toContainText('60.0 kB')
  await expect(offer.getByRole('button', { name: 'Download all-minilm-l6-v2' })).toBeVisible()
  await offer.scrollIntoViewIfNeeded()
  await picture(page, 'embeddings-offer-launch')
  await open('/')
  await expect(offer).toContainText('60.0 kB')
  expect(await seriousFindings(page)).toEqual([])
  await offer.scrollIntoViewIfNeeded()
  await picture(page, 'embeddings-offer-home')
  await offer.getByRole('button', { name: 'Download all-minilm-l6-v2' }).click()
  await offer.getByRole('button', { name: 'Use local-embeddings' }).click()
  expect(await isThere(join(panel.root, '.rag-ladder/models/all-minilm-l6-v2/onnx/model_quantized.onnx'))).toBe(true)
  await expect(page.getByRole('radio', { name: /^local-embeddings/ })).toBeChecked()
  await expect(offer).toBeHidden()
})

test('the catalogue shows open models by job; one is fetched, cancelled, continued, used in a set and removed', async ({
  page,
  open,
  panel,
}) => {
  const target = join(panel.root, '.rag-ladder/models/tiny.gguf')
  await open('/models')
  await page.getByRole('button', { name: 'Models to download' }).click()
  const jobs = ['Small', 'Medium', 'Large'].map((size) => `${size} language models`)
  for (const job of [
    ...jobs,
    'Embeddings',
    'Rerankers',
    'Speech recognition',
    'Voices',
    'Tables of documents',
    'Text in pictures (OCR)',
  ])
    await expect(region(page).getByRole('rowheader', { name: job })).toBeVisible()
  await expect(rowOf(page, 'tiny')).toContainText('● fits')
  await expect(rowOf(page, 'tiny')).toContainText('Apache-2.0')
  await expect(rowOf(page, 'giant')).toContainText('▲ too large')
  await expect(rowOf(page, 'parakeet').getByRole('link', { name: 'Used by Speech to text' })).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])

  // The first download is cancelled while the hub is slow; the second continues it.
  hub.faults.push({ hangAfter: 20_000 })
  await page.getByRole('button', { name: 'Download tiny' }).click()
  await expect(rowOf(page, 'tiny')).toContainText('20.0 kB of 60.0 kB')
  await page.setViewportSize({ width: 1440, height: 1600 })
  await region(page).scrollIntoViewIfNeeded()
  await picture(page, 'catalogue-fetching')
  await page.getByRole('button', { name: 'Cancel download of tiny' }).click()
  const again = page.getByRole('button', { name: 'Download tiny' })
  await expect(again).toHaveText('Continue (33 %)')
  await again.click()
  await expect(page.getByRole('button', { name: 'Test tiny' })).toBeVisible()
  expect(hub.requests.at(-1)).toBe('/small.gguf bytes=20000-')
  expect(await isThere(target)).toBe(true)

  // No network: what failed, where, and what to do.
  await page.getByRole('button', { name: 'Download far' }).click()
  await expect(rowOf(page, 'far').getByRole('alert')).toContainText(`no connection to ${new URL(closed).host}`)
  await expect(rowOf(page, 'far').getByRole('alert')).toContainText('Check the network')

  await page.getByRole('button', { name: 'Test tiny' }).click()
  await expect(page.getByRole('region', { name: 'Test of tiny' }).first()).toContainText('does not work')

  await page.getByRole('combobox', { name: 'Use tiny for' }).click()
  await page.getByRole('option', { name: 'All text' }).click()
  await page.getByRole('combobox', { name: 'Use minilm for' }).click()
  await page.getByRole('option', { name: 'Embeddings' }).click()
  await page.getByRole('combobox', { name: 'Use tiny for' }).click()
  await page.getByRole('option', { name: 'runs the agent' }).click()
  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor.getByLabel('Model: Model that writes text')).toHaveValue(target)
  await expect(editor.getByLabel('Model: Model for embeddings')).toHaveValue('Xenova/minilm')
  await expect(editor.getByLabel('Model: runs the agent')).toHaveValue(target)
  await editor.getByLabel('Name of the set').fill('with-tiny')
  await editor.getByRole('button', { name: 'Save set' }).click()
  await expect(page.getByRole('region', { name: 'with-tiny', exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Remove files of tiny' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove the files of tiny?' })
  await expect(dialog).toContainText(target)
  await expect(dialog).toContainText('Model sets use it: with-tiny')
  await expect(dialog.getByRole('button', { name: 'Remove files' })).toBeDisabled()
  await picture(page, 'catalogue-remove')
  await dialog.getByRole('button', { name: 'Keep files' }).click()
  await page.getByRole('button', { name: 'More for the set with-tiny' }).click()
  await page.getByRole('menuitem', { name: 'Remove set' }).click()
  await expect(page.getByRole('region', { name: 'with-tiny', exact: true })).toBeHidden()
  await page.getByRole('button', { name: 'Remove files of tiny' }).click()
  await expect(dialog).not.toContainText('Model sets use it')
  await dialog.getByRole('button', { name: 'Remove files' }).click()
  await expect(page.getByRole('button', { name: 'Download tiny' })).toHaveText('Download')
  expect(await isThere(target)).toBe(false)

  await page.setViewportSize({ width: 420, height: 1600 })
  expect(await fitsWidth(page)).toBe(true)
  await page.emulateMedia({ colorScheme: 'dark' })
  await region(page).scrollIntoViewIfNeeded()
  await picture(page, 'catalogue-narrow')
})
