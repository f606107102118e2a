import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { strToU8, zipSync } from 'fflate'
import type { EngineProcess } from '../helpers/engine-process.ts'
import { expectAccessible, picture, pressEnter, seriousFindings, test, fitsWidth } from '../helpers/panel-page.ts'

const corpus = (path: string) => ({
  name: path.split('/').at(-1)!,
  mimeType: 'application/octet-stream',
  buffer: readFileSync(new URL(`../../corpus/${path}`, import.meta.url)),
})
const text = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })

const LOCK = `# Lock of Hallow

The lock of Hallow opens at six in the morning. The keeper of the lock is Ada Brand.

A boat of class K3 pays 218 marks for a passage.
`
const FILES = [
  text('lock.md', LOCK),
  text('pilots.txt', 'The pilot station lies on the north pier.\n\nPilots are called on channel 12.\n'),
  text('fees.csv', 'class,fee\nK1,80 marks\nK2,140 marks\n'),
  corpus('mixed_formats/visitors.html'),
  corpus('mixed_formats/pilot-handbook.docx'),
  text('setup.exe', 'MZ'),
]

/** Questions with their gold facts, as a person has them in a table. */
const QUESTIONS = `question,answer,document,fact
Who is the keeper of the lock of Hallow?,Ada Brand.,lock.md,The keeper of the lock is Ada Brand.
Where does the pilot station lie?,On the north pier.,pilots.txt,The pilot station lies on the north pier.
On which channel are pilots called?,Channel 12.,pilots.txt,Pilots are called on channel 12.
What does class K1 pay?,80 marks.,fees.csv,80 marks
What does class K2 pay?,140 marks.,fees.csv,140 marks
When does the lock open?,At six.,lock.md,opens at six in the morning
Who paints the lock?,Nobody.,lock.md,The lock is painted by Carl.
`

/** Two-hop questions with three paragraphs each, in the form of MuSiQue. */
const unsafeZip = (): Buffer => Buffer.from(zipSync({ '../outside.md': strToU8('x') }))

async function zipOf({ client }: Pick<EngineProcess, 'client'>, dataset: string): Promise<Buffer> {
  const pieces = await Array.fromAsync(await client.datasets.exportZip({ dataset_id: dataset }))
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece.type === 'bytes' ? piece.base64 : '', 'base64')))
}

const MUSIQUE = Array.from({ length: 20 }, (_, number) => {
  const paragraph = (title: string, paragraph_text: string, is_supporting: boolean) => ({
    title: `${title} ${number}`,
    paragraph_text,
    is_supporting,
  })
  return JSON.stringify({
    id: `2hop__${number}_1`,
    question: `Who trained the keeper of lock ${number}?`,
    answer: `Moore ${number}`,
    answer_aliases: [],
    answerable: true,
    question_decomposition: [{ id: 1 }, { id: 2 }],
    paragraphs: [
      paragraph('Lock', `The keeper of lock ${number} is Brand ${number}.`, true),
      paragraph('Brand', `Brand ${number} was trained by Moore ${number}.`, true),
      paragraph('Fee', `Fee ${number} is 218 marks.`, false),
    ],
  })
}).join('\n')

/** Selects a passage of the open document as a person does with the mouse. Runs in the page, whose types the specs do not have. */
const select = (page: Page, passage: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const wanted = ${JSON.stringify(passage)}
    const walker = document.createTreeWalker(document.querySelector('main article'), NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const start = node.textContent.indexOf(wanted)
      if (start < 0) continue
      document.getSelection().setBaseAndExtent(node, start, node, start + wanted.length)
      return
    }
    throw new Error('the document does not show: ' + wanted)
  })()`)

async function makeDataset(page: Page, open: (path: string) => Promise<void>, files = FILES): Promise<void> {
  await open('/datasets')
  await page.getByRole('button', { name: 'New dataset' }).click()
  const dialog = page.getByRole('dialog', { name: 'New dataset' })
  await dialog.getByLabel('Name').fill('Harbour papers')
  await expect(dialog.getByLabel('Id')).toHaveValue('harbour_papers')
  await dialog.getByRole('button', { name: 'Create dataset' }).click()
  await expect(page).toHaveURL(/dataset=harbour_papers&view=documents/)
  await page.locator('main input[type=file]').nth(1).setInputFiles(files)
  const rows = page.getByRole('table', { name: 'Files of this drop' })
  await expect(rows.getByRole('row')).toHaveCount(1 + files.length)
  await expect(page.getByText(new RegExp(`^${files.length} of ${files.length} files? done`))).toBeVisible()
}

async function writeQuestion(page: Page, query: string, answer: string, passage: string): Promise<void> {
  await page.getByRole('button', { name: 'Add question' }).click()
  const form = page.getByRole('form', { name: 'New question' })
  await form.getByLabel('Question', { exact: true }).fill(query)
  await form.getByLabel('Expected answer').fill(answer)
  await page.getByRole('combobox', { name: 'Document', exact: true }).click()
  await page.getByRole('option', { name: 'lock.md' }).click()
  await expect(page.getByRole('article', { name: 'lock.md' })).toContainText('Lock of Hallow')
  await expect(page.getByRole('button', { name: 'Use as gold fact' })).toBeDisabled()
  await select(page, passage)
  await page.getByRole('button', { name: 'Use as gold fact' }).click()
  await expect(form.getByLabel('Gold fact 1', { exact: true })).toHaveValue(passage)
  await expect(page.getByRole('article').locator('mark')).toHaveText(passage)
}

test.describe('a dataset of one’s own', () => {
  test.use({ panelOptions: { own: true, empty: true } })
  test.setTimeout(180_000)

  test('from dropped files to the sentence of its result', async ({ page, open }) => {
    await makeDataset(page, open)
    const files = page.getByRole('table', { name: 'Files of this drop' })
    await expect(files.getByRole('row', { name: /^pilot-handbook\.docx/ })).toContainText(/\d characters/, {
      timeout: 60_000,
    })
    await expect(files.getByRole('row', { name: /^lock\.md/ })).toContainText('● stored')
    const refused = files.getByRole('row', { name: /^setup\.exe/ })
    await expect(refused).toContainText('▲ refused')
    await expect(refused).toContainText('No reader takes this kind of file')
    expect(await seriousFindings(page)).toEqual([])
    const steps = page.getByRole('list', { name: 'Steps from documents to a run' })
    await expect(steps.getByRole('link', { name: /^1 Documents/ })).toContainText('5 stored')

    await steps.getByRole('link', { name: /^2 Questions/ }).click()
    await writeQuestion(page, 'What does a boat of class K3 pay?', '218 marks.', 'A boat of class K3 pays 218 marks')
    await page.getByRole('button', { name: 'Save question' }).click()
    await expect(page.getByRole('table', { name: 'Questions' }).getByRole('row')).toHaveCount(2)
    await writeQuestion(page, 'When does the lock of Hallow open?', 'At six.', 'opens at six in the morning')
    await page.getByRole('button', { name: 'Save question' }).click()

    await page.getByRole('button', { name: 'Paste questions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Paste questions' })
    // A line that gets no gold fact says why, and what to do.
    await dialog
      .getByLabel('Questions, one in each line')
      .fill('When does the lock open?\t6 a.m.\nWho paints the lock?')
    await expect(dialog.getByRole('row', { name: /When does the lock open/ })).toContainText(
      'No document has this answer word for word: write it as a document does',
    )
    await expect(dialog.getByRole('row', { name: /Who paints the lock/ })).toContainText(
      'No expected answer to look up',
    )
    await picture(page, 'paste-questions')
    await dialog.getByLabel('Questions, one in each line').fill(QUESTIONS)
    await expect(dialog.getByRole('status')).toContainText(
      'Read as csv. 6 questions can be imported; 1 line has problems and is left out.',
    )
    await expect(dialog.getByRole('row', { name: /The lock is painted by Carl|▲ left out/ })).toContainText(
      '▲ left out',
    )
    // Below the dialog's overlay a note that fades has too little contrast.
    await expect(page.getByText(/^Question q-\d+ saved\.$/)).toHaveCount(0)
    expect(await seriousFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Import 6 questions' }).click()
    await expect(page.getByRole('table', { name: 'Questions' }).getByRole('row')).toHaveCount(9)

    await steps.getByRole('link', { name: /^3 Check/ }).click()
    await expect(page.getByText('● No problem found.')).toBeVisible()
    // Eight questions on three documents.
    await expect(
      page.getByText(/^5 documents, 8 questions\. The dataset (decides a difference|has too few questions)/),
    ).toBeVisible()
    await expect(steps.getByRole('link', { name: /^4 New run/ })).toContainText('ready to run')
    await page.getByRole('button', { name: 'Run this dataset' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'New run' })).toBeVisible()
    const address = page.url().replace(/#.*/, '')
    const three = '["vanilla-rag","hybrid-rag","contextual-rag"]'
    await page.goto(`${address}#/launch?datasets=["harbour_papers"]&models=${three}`)
    await page.getByText('Details: judges, limits and name').click()
    await page.getByRole('textbox', { name: 'Run name' }).fill('mine')
    await page.getByRole('button', { name: 'Run 24 answers' }).click()
    // The page goes on to the verdict by itself.
    await expect(page.getByRole('heading', { name: 'Result of mine' })).toBeVisible({ timeout: 120_000 })
    await expect(page.getByRole('main').getByRole('article', { name: 'Harbour papers' })).toContainText(
      'Every approach found everything',
    )
  })

  test('is edited: a wrong fact is refused at its field, a question and a document come back, and so does the dataset', async ({
    page,
    open,
    panel,
  }) => {
    await makeDataset(page, open, [FILES[0]!, FILES[1]!])
    await page.getByRole('link', { name: /^2 Questions/ }).click()
    // By keyboard alone: the fact is typed instead of selected.
    await pressEnter(page.getByRole('button', { name: 'Add question' }))
    const form = page.getByRole('form', { name: 'New question' })
    await form.getByLabel('Question', { exact: true }).fill('Who is the keeper?')
    await pressEnter(form.getByRole('button', { name: 'Add gold fact' }))
    const fact = form.getByLabel('Gold fact 1', { exact: true })
    await fact.fill('The keeper of the lock is Carl')
    await pressEnter(form.getByRole('button', { name: 'Save question' }))
    await expect(form.getByText(/nearest passage is .*The keeper of the lock is Ada Brand/s)).toBeVisible()
    await expect(fact).toHaveAttribute('aria-invalid', 'true')
    expect(await seriousFindings(page)).toEqual([])
    // Another page loses nothing that is typed.
    await page.getByRole('link', { name: /^1 Documents/ }).click()
    await page.goBack()
    await expect(fact).toHaveValue('The keeper of the lock is Carl')
    await fact.fill('The keeper of the lock is Ada Brand')
    await pressEnter(form.getByRole('button', { name: 'Save question' }))
    const questions = page.getByRole('table', { name: 'Questions' })
    await expect(questions.getByRole('row')).toHaveCount(2)

    await questions.getByRole('button', { name: /^Duplicate / }).click()
    const copy = page.getByRole('form', { name: /^Question q-/ })
    await expect(copy.getByLabel('Question', { exact: true })).toHaveValue('Who is the keeper? (copy)')
    await copy.getByRole('button', { name: 'Close' }).click()
    await questions
      .getByRole('row', { name: /\(copy\)/ })
      .getByRole('button', { name: /^Delete / })
      .click()
    await expect(questions.getByRole('row')).toHaveCount(2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(questions.getByRole('row')).toHaveCount(3)

    await questions
      .getByRole('button', { name: /^Edit / })
      .first()
      .click()
    const typed = copy.getByLabel('Question', { exact: true })
    await typed.fill('Who keeps the lock?')
    await page.reload()
    await expect(typed).toHaveValue('Who keeps the lock?')
    // Another window saves the question meanwhile.
    const dataset_id = 'harbour_papers'
    const { revision } = await panel.client.datasets.own({ dataset_id })
    const [question] = (await panel.client.datasets.ownQuestions({ dataset_id, limit: 1 })).questions
    await panel.client.datasets.saveQuestion({ dataset_id, revision, question: { ...question!, query: 'Whose lock?' } })
    await expect(copy.getByRole('alert')).toContainText('Another window has changed this question')
    await expect(typed).toHaveValue('Who keeps the lock?')
    await copy.getByRole('button', { name: 'Load the change' }).click()
    await expect(typed).toHaveValue('Whose lock?')
    await copy.getByRole('button', { name: 'Close' }).click()

    await page.getByRole('link', { name: /^1 Documents/ }).click()
    await page.getByRole('button', { name: 'Remove pilots.txt' }).click()
    await expect(page.getByRole('link', { name: /^1 Documents/ })).toContainText('1 stored')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByRole('link', { name: /^1 Documents/ })).toContainText('2 stored')

    await page.getByRole('button', { name: 'Remove…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove Harbour papers?' })
    await expect(dialog).toContainText('2 documents and 2 questions')
    await dialog.getByRole('button', { name: 'Remove dataset' }).click()
    await page.getByRole('button', { name: 'Restore Harbour papers' }).click()
    await expect(page).toHaveURL(/dataset=harbour_papers/)
    await expect(questions.getByRole('row')).toHaveCount(3)
  })

  test('is cut as its settings define, which shows before they are saved', async ({ page, open }) => {
    const long = text('long.md', 'Boats pass the lock by day. '.repeat(120))
    await makeDataset(page, open, [long])
    await page.getByLabel('Show chunks').check({ force: true })
    await expect(page.getByText(/^5 chunks, recursive, up to 800 characters/)).toBeVisible()
    await page.getByRole('textbox', { name: 'Chunk size (characters)' }).fill('400')
    await page.getByRole('textbox', { name: 'Overlap' }).fill('0')
    await expect(page.getByText(/^9 chunks, recursive, up to 400 characters, overlap up to 0/)).toBeVisible()
    await expect(page.getByText(/^Not saved yet/)).toBeVisible()
    await page.getByRole('button', { name: 'Save chunking' }).click()
    await expect(page.getByText(/^Not saved yet/)).toHaveCount(0)
    await page.reload()
    await expect(page.getByRole('textbox', { name: 'Chunk size (characters)' })).toHaveValue('400')
    await expect(page.getByText(/^9 chunks/)).toBeVisible()
  })

  test('can start as a copy of one of the project, which itself cannot be changed', async ({ page, open }) => {
    await open('/datasets?dataset=smoke')
    await expect(page.getByText(/^This dataset is part of the project/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add question' })).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Remove…' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Duplicate to edit' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate dataset' }).click()
    await expect(page).toHaveURL(/dataset=smoke_copy/)
    await expect(page.getByRole('table', { name: 'Questions' }).getByRole('row')).toHaveCount(5)
    await page
      .getByRole('button', { name: /^Edit / })
      .first()
      .click()
    await expect(page.getByLabel('Gold fact 1', { exact: true })).not.toBeEmpty()
    await expect(page.getByRole('article').locator('mark').first()).toBeVisible()
  })

  test('takes a gold fact from the converted text of a Word file', async ({ page, open }) => {
    await makeDataset(page, open, [corpus('mixed_formats/pilot-handbook.docx')])
    await open('/datasets?dataset=harbour_papers&view=questions')
    await page.getByRole('button', { name: 'Add question' }).first().click()
    const article = page.getByRole('article', { name: 'pilot-handbook.docx' })
    await expect(article).toContainText('Pilot', { timeout: 60_000 })
    const fact = (await article.innerText()).split(/\n+/).find((line) => line.split(' ').length > 8)!
    await select(page, fact.slice(0, 60))
    await page.getByRole('button', { name: 'Use as gold fact' }).click()
    await expect(page.getByLabel('Gold fact 1', { exact: true })).toHaveValue(fact.slice(0, 60).trim())
  })

  test('comes from a public question set in its own format, and leaves as a zip file', async ({
    page,
    open,
    panel,
  }) => {
    const source = join(panel.root, 'musique_ans_v1.0_dev.jsonl')
    writeFileSync(source, MUSIQUE)
    await open('/datasets')
    await page.getByRole('button', { name: 'Import dataset' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a dataset' })
    await dialog.getByLabel('Path').fill(join(panel.root, 'nothing'))
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await expect(dialog.getByText('there is no such file or folder')).toBeVisible()
    await dialog.getByLabel('Path').fill(source)
    await expect(dialog.getByLabel('Id')).toHaveValue('musique_ans_v1_0_dev')
    await dialog.getByLabel('Questions').fill('12')
    await picture(page, 'own-import')
    expect(await seriousFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await expect(dialog.getByText('MuSiQue: 12 of 20 questions, 36 documents')).toBeVisible()
    await expect(dialog.getByText('Licence of MuSiQue as published: CC BY 4.0')).toBeVisible()
    await picture(page, 'own-imported')
    await dialog.getByRole('button', { name: 'Open dataset' }).click()
    await expect(page.getByRole('table', { name: 'Questions' }).getByRole('row')).toHaveCount(13)
    await page.getByRole('button', { name: 'Export as zip' }).click()
    await expect(page.getByText('musique_ans_v1_0_dev.zip was saved.')).toBeVisible()

    // Another person opens that file in the browser: what is in it comes first.
    await page.getByRole('link', { name: '‹ Datasets' }).click()
    await page.getByRole('button', { name: 'Import dataset' }).click()
    await dialog.getByText('Zip file', { exact: true }).click()
    const zip = dialog.locator('input[type=file]').last()
    await zip.setInputFiles({ name: 'bad.zip', mimeType: 'application/zip', buffer: unsafeZip() })
    await expect(dialog.getByRole('alert')).toContainText('"../outside.md" in bad.zip cannot be unpacked')
    await zip.setInputFiles({
      name: 'shared.zip',
      mimeType: 'application/zip',
      buffer: await zipOf(panel, 'musique_ans_v1_0_dev'),
    })
    await expect(dialog.getByRole('region', { name: 'What the zip file holds' })).toContainText(
      /12 questions, 12 with gold facts; 36 documents/,
    )
    await expect(dialog.getByLabel('Id')).toHaveValue('shared')
    expect(await seriousFindings(page)).toEqual([])
    await picture(page, 'own-upload')
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await expect(dialog).toHaveCount(0)
    expect(page.url()).toContain('dataset=shared')
    await expect(page.getByRole('table', { name: 'Questions' }).getByRole('row')).toHaveCount(13)
  })

  test('shows at 1440 and 420 pixels without sideways scrolling, and axe finds nothing serious', async ({
    page,
    open,
    panel,
  }) => {
    await makeDataset(page, open)
    const { revision } = await panel.client.datasets.own({ dataset_id: 'harbour_papers' })
    await panel.client.datasets.importQuestions({
      dataset_id: 'harbour_papers',
      revision,
      text: QUESTIONS,
    })
    for (const width of [1440, 420]) {
      await page.setViewportSize({ width, height: 900 })
      for (const view of ['documents', 'questions', 'questions&question=q-1', 'check']) {
        await open(`/datasets?dataset=harbour_papers&view=${view}`)
        await page.reload()
        await expect(page.getByLabel('Loading')).toHaveCount(0)
        await expect(page.getByText('checking …')).toHaveCount(0)
        const name = view.replace(/^.*=/, 'editor-')
        if (width === 1440) await expectAccessible(page, `own-${name}-${width}`)
        else {
          await picture(page, `own-${name}-${width}`)
          expect(await seriousFindings(page, 'structure')).toEqual([])
        }
        expect(await fitsWidth(page), `${view} at ${width}`).toBe(true)
      }
    }
  })
})
