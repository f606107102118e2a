import { expect as base } from '@playwright/test'
import type { PaperQuestion } from './harbour-papers.ts'
import type { CarriedFile, Person } from './person.ts'

// The way from a person's files to the sentence of a result, on the pages of the panel. Specs and benchmarks take the same steps.

/** As specs wait: a benchmark has no configuration of Playwright, whose own limit is short on a busy machine. */
const expect = base.configure({ timeout: 30_000 })

/** Names a dataset on the page that is open, Home or Datasets, and drops files into it; ends when each is stored or refused. */
export async function dropIntoNewDataset(person: Person, label: string, files: readonly CarriedFile[]): Promise<void> {
  const { page } = person
  await page.getByRole('button', { name: 'New dataset' }).click()
  const dialog = page.getByRole('dialog', { name: 'New dataset' })
  await person.fill(dialog.getByLabel('Name'), label)
  await dialog.getByRole('button', { name: 'Create dataset' }).click()
  await person.drop(page.getByText('Drop files or a folder here'), files)
  await expect(page.getByText(new RegExp(`^${files.length} of ${files.length} files? done`))).toBeVisible({
    timeout: 60_000,
  })
}

/** Pastes questions with their answers, and confirms the passages that the program finds for them, which must be those of the questions. */
export async function pasteQuestions(person: Person, questions: readonly PaperQuestion[]): Promise<void> {
  const { page } = person
  await page.getByRole('link', { name: /^2 Questions/ }).click()
  await page.getByRole('button', { name: 'Paste questions' }).click()
  const dialog = page.getByRole('dialog', { name: 'Paste questions' })
  const lines = questions.map(({ query, answer }) => `${query}\t${answer}`)
  await person.fill(dialog.getByLabel('Questions, one in each line'), lines.join('\n'))
  const all = dialog.getByRole('checkbox', { name: `Use ${questions.length} passages as gold facts` })
  await expect(all).toBeVisible({ timeout: 240_000 })
  for (const { query, document, fact } of questions) {
    const row = dialog.getByRole('row').filter({ hasText: query })
    await expect(row.getByRole('checkbox')).toHaveAccessibleName(
      new RegExp(`${RegExp.escape(fact)}.* ${RegExp.escape(document)}$`),
    )
  }
  await all.click()
  await dialog.getByRole('button', { name: `Import ${questions.length} questions` }).click()
  await expect(page.getByRole('table', { name: 'Questions' }).getByRole('row')).toHaveCount(questions.length + 1)
}

/** Imports a public question set from a file on the page Datasets, which is open, and opens it. */
export async function importQuestionSet(person: Person, path: string): Promise<string> {
  const { page } = person
  await page.getByRole('button', { name: 'Import dataset' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import a dataset' })
  await person.type(dialog.getByLabel('Path'), path)
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  const done = dialog.getByText(/[\w -]+: \d+ of \d+ questions?, /)
  await expect(done).toBeVisible({ timeout: 120_000 })
  const summary = (await done.innerText()).replace(/^\W+/, '')
  await dialog.getByRole('button', { name: 'Open dataset' }).click()
  return summary
}

/** Runs the open dataset, and returns the sentences of its result. */
export async function runToVerdict(
  person: Person,
  {
    label,
    approaches,
    cells,
  }: {
    /** Of the dataset, as its verdict names it. */
    label: string
    /** The button in New run that chooses a set, or aliases to tick. */
    approaches: string | readonly string[]
    cells: number
  },
): Promise<string> {
  const { page } = person
  await page.getByRole('button', { name: 'Run this dataset' }).click()
  const isSet = typeof approaches === 'string'
  await page.getByRole('button', { name: isSet ? approaches : 'None', exact: true }).click()
  for (const alias of isSet ? [] : approaches)
    await page.getByRole('checkbox', { name: new RegExp(`^${alias}(?!-)`) }).click()
  await page
    .getByRole('button', { name: new RegExp(`^Run ${String(cells).replace(/(?=...$)/, '\\D?')} answers$`) })
    .click()
  const verdict = page.getByRole('main').getByRole('article', { name: label, exact: true })
  await expect(verdict).toBeVisible({ timeout: 900_000 })
  return (await verdict.innerText()).replace(/\s+/g, ' ')
}
