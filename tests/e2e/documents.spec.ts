import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { IS_DESKTOP, postControl, seriousFindings, test } from '../helpers/panel-page.ts'

const RESULT = {
  content: '# Tariff\n\nPaid by \\<b> class.\n\n| Class | Dues |\n| --- | --- |\n| K3 | 218 \\| marks |\n',
  format: 'markdown',
  metadata: {
    pages: 1,
    tables: 1,
    images: 0,
    formulas: 0,
    processing_time: 0.4,
    source_format: 'png',
    file_size: 9,
    ocr_pages: 1,
    table_mode: 'fast',
    warnings: ['the name ends in .pdf but the content is png; it was read as png'],
  },
  chunks: [{ text: 'Tariff', metadata: { chunk_index: 0, chunk_type: 'text', section_title: 'Tariff', page: 1 } }],
}
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('a dropped file is converted and shown beside its original; a refusal is shown in the converter’s words', async ({
  page,
  open,
}) => {
  let isBusy = true
  await page.route('**/control/services/converter/proxy/v1/document/page', (route) =>
    route.fulfill({ contentType: 'image/png', body: PIXEL }),
  )
  await page.route('**/control/services/converter/proxy/v1/document/convert', async (route) => {
    const body = route.request().postDataBuffer()?.toString('latin1') ?? ''
    if (body.includes('locked.pdf'))
      return route.fulfill({
        status: 422,
        json: { detail: 'the document is encrypted: remove its password and send it again' },
      })
    if (!isBusy) return route.fulfill({ json: RESULT })
    // Busy once: the page waits by itself.
    isBusy = false
    return route.fulfill({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { detail: 'Provider capacity is full' },
    })
  })
  await open('/tools/convert')
  await page
    .locator('main input[type=file]')
    .last()
    .setInputFiles([
      { name: 'tariff.pdf', mimeType: 'application/pdf', buffer: Buffer.from('tariff') },
      { name: 'locked.pdf', mimeType: 'application/pdf', buffer: Buffer.from('locked') },
    ])
  await expect(page.getByText('the document is encrypted: remove its password')).toBeVisible()
  await page
    .getByRole('list', { name: 'Files' })
    .getByRole('button', { name: /tariff\.pdf/ })
    .click()
  await expect(page.getByRole('cell', { name: '218 | marks' })).toBeVisible()
  await expect(page.getByText('Paid by <b> class.')).toBeVisible()
  await expect(page.getByText('it was read as png')).toBeVisible()
  await expect(page.getByRole('img', { name: 'Page 1 of tariff.pdf' })).toBeVisible()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByText('Chunks (1)').click()
  await expect(page.getByText('1 · text · Tariff · page 1')).toBeVisible()
})

/** The page with one converted file. */
async function openConverted(
  page: Page,
  open: (path: string) => Promise<void>,
  file: { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  // Routes first: of a page that is open already, the desktop app's scheme is not intercepted.
  await page.route('**/control/services/converter/proxy/v1/document/convert', (route) =>
    route.fulfill({ json: RESULT }),
  )
  await page.route('**/control/services/converter/proxy/v1/document/page', (route) =>
    route.fulfill({ status: 422, json: { detail: 'files of this kind have no pages of their own to draw' } }),
  )
  await open('/tools/convert')
  await page.locator('main input[type=file]').last().setInputFiles([file])
  await expect(page.getByRole('button', { name: 'Send to a dataset' })).toBeEnabled()
}
const TARIFF = { name: 'Tariff (2024).pdf', mimeType: 'application/pdf', buffer: Buffer.from('tariff') }

test.describe('sent to a dataset', () => {
  test.use({ panelOptions: { own: true } })

  test('a converted document becomes part of a new dataset, and the page explains what comes next', async ({
    page,
    open,
  }) => {
    await openConverted(page, open, TARIFF)
    await page.getByRole('button', { name: 'Send to a dataset' }).click()
    const dialog = page.getByRole('dialog')
    const send = dialog.getByRole('button', { name: 'Create dataset and send' })
    await expect(send).toBeDisabled()
    await dialog.getByLabel('Name', { exact: true }).fill('Smoke')
    await expect(dialog.getByLabel('Id')).toHaveValue('smoke')
    await send.click()
    await expect(
      dialog.getByText(/there is a dataset, profile or folder \w+ already: choose another name/),
    ).toBeVisible()
    await dialog.getByLabel('Id').fill('harbour')
    expect(await seriousFindings(page)).toEqual([])
    await send.click()
    await expect(dialog.getByRole('status')).toContainText('Tariff -2024.md is stored in Smoke')
    await expect(dialog.getByText('0 questions so far.')).toBeVisible()
    await dialog.getByRole('link', { name: 'choose approaches and start' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'New run' })).toBeVisible()
    expect(decodeURIComponent(page.url())).toContain('["harbour"]')
  })

  test('a name that a dataset already has is refused at its field', async ({ page, open }) => {
    await openConverted(page, open, { ...TARIFF, name: 'tidewater-lock.pdf' })
    await postControl(page, 'datasets/create', { id: 'smoke_copy', label: 'My copy', copy_of: 'smoke' })
    await page.getByRole('button', { name: 'Send to a dataset' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Dataset', { exact: true }).first().click()
    await expect(page.getByRole('option', { name: 'Smoke' })).toHaveCount(0)
    await page.getByRole('option', { name: 'My copy' }).click()
    await dialog.getByRole('button', { name: 'Send the document' }).click()
    await expect(dialog.getByText('datasets/smoke_copy/documents already has tidewater-lock.md')).toBeVisible()
    await dialog.getByLabel('Name of the document').fill('tariff')
    await dialog.getByRole('button', { name: 'Send the document' }).click()
    await expect(dialog.getByRole('status')).toContainText('tariff.md is stored in My copy')
  })
})

test('an original without pages to draw says so; the app opens it in its own program', async ({ page, open }) => {
  const buffer = readFileSync(new URL('../../corpus/mixed_formats/pilot-handbook.docx', import.meta.url))
  await page.route('**/control/services/converter/proxy/v1/document/convert', (route) =>
    route.fulfill({ json: { ...RESULT, metadata: { ...RESULT.metadata, source_format: 'docx' } } }),
  )
  await open('/tools/convert')
  await page
    .locator('main input[type=file]')
    .last()
    .setInputFiles([{ name: 'pilot-handbook.docx', mimeType: 'application/octet-stream', buffer }])
  const original = page.getByRole('region', { name: 'Original' })
  await expect(original.getByText('A DOCX file has no pages that can be drawn here.')).toBeVisible()
  await expect(original.getByRole('button', { name: 'Open in its own program' })).toHaveCount(IS_DESKTOP ? 1 : 0)
})
