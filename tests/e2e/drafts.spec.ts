import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { stringify } from 'yaml'
import { picture, seriousFindings, test } from '../helpers/panel-page.ts'

const TERMS = `# Terms of the lock

A sluice is a gate that lets water out of the basin. A weir is a low dam across the river.

Ada Brand is the keeper of the lock. The lock opens at six.
`

test.use({
  panelOptions: {
    own: true,
    empty: true,
    prepare: async (root) => {
      await mkdir(join(root, 'datasets/terms/documents'), { recursive: true })
      await writeFile(join(root, 'datasets/terms/documents/terms.md'), TERMS)
      await writeFile(join(root, 'datasets/terms/documents/plan.pdf'), '%PDF-1.4')
      await writeFile(
        join(root, 'datasets/terms/dataset.yaml'),
        stringify({ version: 1, label: 'Terms', questions: [] }),
      )
    },
  },
})

test('drafts wait through a reload, and become questions when they are ticked or edited', async ({
  page,
  open,
  panel,
}) => {
  await open('/datasets?dataset=terms&view=questions')
  await page.getByRole('button', { name: 'Draft questions' }).click()
  const dialog = page.getByRole('dialog', { name: 'Draft questions' })
  const plan = dialog.getByRole('region', { name: 'The plan' })
  await expect(plan).toContainText('Rules (extractive-answerer) draft from 1 document')
  await expect(plan).toContainText('1 document left out')
  await picture(page, 'draft-plan')
  await dialog.getByRole('button', { name: 'Draft', exact: true }).click()
  await expect(dialog.getByRole('status')).toContainText('3 drafts kept.', { timeout: 60_000 })
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await page.reload()
  const drafts = page.getByRole('list', { name: 'Drafts' })
  await expect(drafts.getByRole('listitem')).toHaveCount(3)
  await expect(drafts).toContainText('made by rules (extractive-answerer)')
  expect(await seriousFindings(page)).toEqual([])
  await picture(page, 'drafts')

  await expect(drafts).toContainText('One fact · keyword search finds its passage at rank 1')
  const power = page.getByRole('status').filter({ hasText: 'ticked question' })
  await expect(power).toContainText('With 0 ticked questions nothing can be tested')
  await drafts.getByRole('checkbox', { name: 'Select draft-1' }).check()
  await expect(power).toContainText(
    'With 1 ticked question nothing can be tested: 1 independent group, and a test needs 8.',
  )
  await page.getByRole('button', { name: 'Accept 1' }).click()
  const questions = page.getByRole('table', { name: 'Questions' })
  await expect(questions.getByRole('row', { name: /What is a sluice\?/ })).toContainText('draft')

  await drafts.getByRole('button', { name: 'Edit draft-2' }).click()
  const form = page.getByRole('form', { name: 'Edit draft-2' })
  await form.getByLabel('Gold passage 1').fill('A weir is a high dam.')
  await form.getByRole('button', { name: 'Accept edited' }).click()
  await expect(form.getByRole('alert')).toContainText('terms.md does not hold the fact')
  await form.getByLabel('Gold passage 1').fill('A weir is a low dam across the river.')
  await form.getByLabel('Question').fill('What is a weir made for?')
  await form.getByRole('button', { name: 'Accept edited' }).click()
  await expect(questions.getByRole('row', { name: /What is a weir made for\?/ })).toBeVisible()

  await drafts.getByRole('checkbox', { name: 'Select draft-3' }).check()
  await page.getByRole('button', { name: 'Reject 1' }).click()
  await expect(drafts).toBeHidden()
  const stored = await readFile(join(panel.root, 'datasets/terms/dataset.yaml'), 'utf8')
  expect(stored).toContain('Drafted by rules (extractive-answerer), edited.')
  expect(stored).not.toContain('Ada Brand')
})
