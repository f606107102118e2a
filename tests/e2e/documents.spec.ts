import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { IS_DESKTOP, seriousFindings, test } from '../helpers/panel-page.ts'

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
