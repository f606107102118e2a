import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { picture, test } from '../helpers/panel-page.ts'
import { leaveOneQuestion } from '../real/one-question.ts'
import { realWeights } from '../real/weights.ts'

const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf'
const RUN = 'with-file'

// A real language model, loaded by llama.cpp in a process of its own: only where its weights are already on this machine.
const weights = await realWeights('smollm2-135m')
test.skip(weights.folder === null, weights.reason ?? '')

test.use({
  panelOptions: {
    own: true,
    prepare: async (root) => {
      await leaveOneQuestion(root)
      await mkdir(join(root, 'models'))
      await copyFile(join(weights.folder!, FILE), join(root, 'models', FILE))
    },
  },
})
// Idle, the test of the file takes half a minute; on a machine that is busy with other specs each of its roles can come to the minute after
// which a call is given up.
const TEST_MS = 480_000
test.setTimeout(900_000)

test('a GGUF file is added, tested, saved as a set and launched, and the matrix shows what it answered', async ({
  page,
  open,
  panel,
}) => {
  await open('/models')
  await page.getByRole('button', { name: `Choose ${FILE}` }).click()
  const form = page.getByRole('form', { name: 'Connect a service' })
  await expect(form.getByLabel('Path of the file')).toHaveValue(join(panel.root, 'models', FILE))
  await form.getByRole('button', { name: 'Test' }).click()
  const result = page.getByRole('region', { name: /^Test of / }).first()
  await expect(result).toContainText('works', { timeout: TEST_MS })
  await expect(result.getByRole('row', { name: /^File/ })).toContainText('works')
  await expect(result.getByRole('row', { name: /^Answers/ })).toContainText(/[\d.]+ tokens\/s/)
  await expect(result.getByRole('row', { name: /^JSON/ })).toContainText('works')
  await form.getByRole('button', { name: 'Choose model' }).click()

  const editor = page.getByRole('form', { name: 'Choose models' })
  await expect(editor.getByLabel('Model: Model that writes text')).toHaveValue(join(panel.root, 'models', FILE))
  await editor.getByLabel('Name of the set').fill('small')
  await editor.getByRole('button', { name: 'Save set' }).click()
  await page.getByRole('button', { name: 'Use in new run: small' }).click()
  await expect(page.getByRole('radio', { name: /^small/ })).toBeChecked()

  // Without metrics: rules would grade, which is another test.
  await open(`/launch?datasets=["smoke"]&models=["vanilla-rag"]&metrics=[]&name=${RUN}&modelSet=small`)
  await expect(page.getByText(RUN, { exact: true })).toBeVisible()
  await page.getByRole('button', { name: /^Run \d+ answers?$/ }).click()
  const jobOf = async () => (await panel.client.runs.jobs()).find((job) => job.run_id === RUN)
  await expect.poll(async () => (await jobOf())?.state, { timeout: 400_000 }).toBe('completed')
  expect((await jobOf())!.failures).toEqual([])

  await open(`/runs/${RUN}/matrix?dataset=smoke&metric=token_f1`)
  await expect(page.locator('[role=gridcell][data-state=ok]').first()).toBeVisible()
  const { rows } = await panel.client.matrix.page({ run_id: RUN, dataset_id: 'smoke', metric: 'token_f1' })
  expect(rows.flatMap(({ cells }) => cells.map((cell) => cell?.status))).toEqual(['ok'])
  await picture(page, 'matrix-of-a-file')
  const { evidence } = artifactFiles(join(panel.root, 'results'), RUN, 'smoke')
  expect(await readFile(evidence, 'utf8')).toContain('"SmolLM2-135M-Instruct.Q4_1"')
})
