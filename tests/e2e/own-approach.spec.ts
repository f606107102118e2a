import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { json, startFaultServer, type FaultServer } from '../helpers/fault-server.ts'
import { fitsWidth, inEachScheme, picture, seriousFindings, test as pageTest } from '../helpers/panel-page.ts'

const THEIRS = 'version: 1\nkind: command\ncommand: [node, approaches/theirs.mjs]\n'

const test = pageTest.extend<{ service: FaultServer }>({
  service: async ({ page: _ }, use) => {
    const server = await startFaultServer()
    server.script(json({ reply: { text: 'In Falmouth.' }, sources: [{ body: 'The harbour.', file: 'a.md' }] }))
    await use(server)
    await server.close()
  },
  panelOptions: async ({ page: _ }, use) =>
    use({
      prepare: async (root) => {
        await mkdir(join(root, 'approaches'), { recursive: true })
        await writeFile(join(root, 'approaches/theirs.yaml'), THEIRS)
      },
    }),
})

test('an own service is tested, mapped by clicks in its reply, saved, and chosen for the run', async ({
  page,
  open,
  service,
}) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&step=2')
  await page.getByRole('button', { name: 'Add your own…' }).click()
  const form = page.getByRole('form', { name: 'Add your own approach' })
  await form.getByLabel('Address').fill(`${service.url}/ask`)
  await form.getByLabel('Request (JSON)').fill('[')
  await form.getByRole('button', { name: 'Test' }).click()
  await expect(form).toContainText('expected a JSON object')
  await form.getByLabel('Request (JSON)').fill('{"q": "{{question}}"}')
  // The paths are not known yet: the reply shows them.
  await form.getByRole('button', { name: 'Test' }).click()
  const result = form.getByRole('region', { name: 'Test result' })
  await expect(result).toContainText('No answer:')
  await result.getByRole('button', { name: 'Use reply.text as the answer' }).click()
  await result.getByRole('button', { name: 'Use sources[].body as the text of a passage' }).click()
  await result.getByRole('button', { name: 'Use sources[].file as the document of a passage' }).click()
  await expect(form.getByLabel('Path of the list of passages')).toHaveValue('sources[]')
  await expect(form.getByLabel('Document within a passage')).toHaveValue('file')
  await form.getByRole('button', { name: 'Test' }).click()
  await expect(result).toContainText('Answer: In Falmouth.')
  await expect(result).toContainText('1 passage')
  await expect(result).toContainText('Not evaluable: cost: it reports no tokens')
  await inEachScheme(page, async (scheme) => {
    expect(await seriousFindings(page, scheme === 'light' ? 'all' : 'colours')).toEqual([])
    await picture(page, `own-approach-${scheme}`)
  })
  await page.setViewportSize({ width: 420, height: 900 })
  expect(await fitsWidth(page)).toBe(true)
  await picture(page, 'own-approach-420')
  await page.setViewportSize({ width: 1440, height: 900 })
  await form.getByLabel('Name', { exact: true }).fill('bm25')
  await form.getByRole('button', { name: 'Save approach' }).click()
  await expect(form).toContainText('the name bm25 is taken')
  await form.getByLabel('Name', { exact: true }).fill('mine')
  await form.getByRole('button', { name: 'Save approach' }).click()
  await expect(form).toBeHidden()
  await expect(page.getByRole('checkbox', { name: 'mine' })).toBeChecked()
  await expect(page.getByRole('button', { name: 'Run 8 answers' })).toBeEnabled()
  await picture(page, 'own-approach-chosen')
})

test('a file that another user wrote is shown whole before it is allowed', async ({ page, open }) => {
  await open('/launch?datasets=["smoke"]&models=["vanilla-rag"]&step=2')
  const theirs = page.getByRole('checkbox', { name: 'theirs' })
  await expect(theirs).toBeDisabled()
  await page.getByRole('button', { name: 'Read and allow theirs' }).click()
  const question = page.getByRole('dialog', { name: 'Allow approaches/theirs.yaml?' })
  await expect(question.getByRole('region', { name: 'approaches/theirs.yaml' })).toHaveText(THEIRS.trim())
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(theirs).toBeDisabled()
  await page.getByRole('button', { name: 'Read and allow theirs' }).click()
  await question.getByRole('button', { name: 'Allow file' }).click()
  await theirs.check()
  await page.getByRole('button', { name: 'Remove theirs' }).click()
  await page.getByRole('dialog', { name: 'Remove theirs?' }).getByRole('button', { name: 'Remove' }).click()
  await expect(theirs).toHaveCount(0)
})
