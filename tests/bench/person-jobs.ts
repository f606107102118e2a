import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect as base, type Page } from '@playwright/test'
import { harbourPapers, PAPER_QUESTIONS } from '../helpers/harbour-papers.ts'
import { musiqueQuestions } from '../helpers/musique-questions.ts'
import { dropIntoNewDataset, importQuestionSet, pasteQuestions, runToVerdict } from '../helpers/own-data-way.ts'
import type { Person } from '../helpers/person.ts'

/** Something a person comes for, done on the pages from Home on. */
export interface Job {
  id: string
  /** In the person's own words. */
  what: string
  /** On an unused project folder; the others follow one another in one. */
  fresh?: boolean
  /** Ends when the person has what they came for, and returns what that is; throws where it cannot be reached. */
  run: (person: Person, place: Place) => Promise<string>
}

/** Describes what a job may use besides the page. */
export interface Place {
  /** The project folder. */
  root: string
  /** Address of a language model service on this machine. */
  modelService: string
}

const LONG_MS = 900_000
/** Waits long enough for what a page shows at once when the machine is idle. */
const expect = base.configure({ timeout: 30_000 })

const goTo = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name, exact: true }).click()
/** Opens the form of a new run. */
async function newRun(page: Page): Promise<void> {
  await goTo(page, 'Runs')
  await page.getByRole('link', { name: 'New run' }).first().click()
}
/** Opens the judges of the newest run, which Home shows with its verdict. */
const goToJudges = (page: Page): Promise<void> => main(page).getByRole('link', { name: 'Judges', exact: true }).click()
/** Fills New run with the settings of the newest run. */
const runAgain = (page: Page): Promise<void> => button(page, 'Run again').click()
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' })
const main = (page: Page) => page.getByRole('main')

/** First lines of the text of a part of the page. */
const shown = async (text: Promise<string>): Promise<string> => {
  const all = (await text).replace(/\s+/g, ' ')
  return all.length <= 160 ? all : `${all.slice(0, 160).replace(/ \S*$/, '')} …`
}

const verdict = (page: Page): Promise<string> => shown(main(page).getByRole('article').first().innerText())

/** Ticks these approaches and no other where New run has them open, and starts. */
async function launch(page: Page, approaches: readonly string[]): Promise<void> {
  await button(page, 'None').click()
  for (const alias of approaches) await page.getByRole('checkbox', { name: new RegExp(`^${alias}(?!-)`) }).click()
  await button(page, /^Run [\d\s]+ answers$/).click()
}

/** Waits for the verdict, to which the page of a run that was just started goes on by itself. */
async function landOnVerdict(page: Page): Promise<string> {
  await expect(main(page).getByRole('article').first()).toBeVisible({ timeout: LONG_MS })
  return verdict(page)
}

export const JOBS: readonly Job[] = [
  {
    id: 'first-result',
    what: 'See what the program does: a first result within a minute of the first start',
    fresh: true,
    async run({ page }) {
      await button(page, 'Run the example').first().click()
      return landOnVerdict(page)
    },
  },
  {
    id: 'own-model',
    what: 'Connect a model of my own, test it, and choose it for a run',
    fresh: true,
    async run(person, { modelService }) {
      const { page } = person
      await goTo(page, 'Models')
      await button(page, 'Connect a service').click()
      await person.fill(page.getByRole('form', { name: 'Connect a service' }).getByLabel('Address'), modelService)
      await person.press('Enter')
      const editor = page.getByRole('form', { name: 'Choose models' })
      await expect(editor.getByLabel('Model: Model that writes text')).not.toHaveValue('')
      await editor.getByRole('button', { name: 'Use in new run' }).click()
      const chosen = page.getByRole('radio', { checked: true })
      await expect(chosen).toHaveCount(1)
      return `model set ${await chosen.inputValue()} is chosen in New run`
    },
  },
  {
    id: 'own-data',
    what: 'Find out which approach suits 20 files of mine, with 8 questions and their gold facts',
    fresh: true,
    async run(person) {
      await dropIntoNewDataset(person, 'Harbour papers', await harbourPapers())
      await pasteQuestions(person, PAPER_QUESTIONS)
      return runToVerdict(person, { label: 'Harbour papers', approaches: 'All approaches', cells: 8 * 7 })
    },
  },
  {
    id: 'public-set',
    what: 'Try all approaches on 200 questions of a public set (MuSiQue’s form, 1,500 documents)',
    fresh: true,
    async run(person, { root }) {
      const { page } = person
      const file = join(root, 'musique_ans_v1.0_dev.jsonl')
      writeFileSync(file, musiqueQuestions(200))
      await goTo(page, 'Datasets')
      await importQuestionSet(person, file)
      const cells = 200 * 7
      return runToVerdict(person, { label: 'musique_ans_v1.0_dev', approaches: 'All approaches', cells })
    },
  },
  {
    id: 'rung',
    what: 'Run the first level with the six approaches, and read which one is better',
    fresh: true,
    async run({ page }) {
      await newRun(page)
      await button(page, /^Run [\d\s]+ answers$/).click()
      return landOnVerdict(page)
    },
  },
  {
    id: 'pause',
    what: 'Pause a run that is under way, and let it go on',
    async run({ page }) {
      await runAgain(page)
      await launch(page, ['vanilla-rag', 'bm25'])
      await button(page, 'Pause').first().click({ timeout: LONG_MS })
      await button(page, 'Resume').first().click({ timeout: LONG_MS })
      return landOnVerdict(page)
    },
  },
  {
    id: 'evidence',
    what: 'Read why the approaches differ: the question that separates them most, with its evidence',
    async run({ page }) {
      const differing = page.getByRole('region', { name: /^Where they differ most/ }).first()
      await differing.getByRole('listitem').first().getByRole('link').click()
      await expect(page.getByRole('heading', { name: /^Answer/ }).first()).toBeInViewport()
      await expect(page.getByRole('tabpanel', { name: /^Evidence/ })).toBeVisible()
      return shown(page.getByRole('note', { name: 'Diagnosis' }).innerText())
    },
  },
  {
    id: 'compare',
    what: 'Compare two runs question by question',
    async run(person) {
      const { page } = person
      await goTo(page, 'Runs')
      await page
        .getByRole('checkbox', { name: /^Tick / })
        .first()
        .click()
      await page
        .getByRole('link', { name: /^Compare .* with / })
        .first()
        .click()
      await expect(page.getByText('Question by question')).toBeVisible()
      return shown(page.getByText(/the same score in both runs\.$|differences are listed/).innerText())
    },
  },
  {
    id: 'change',
    what: 'Run a finished run again with one parameter changed, beside the approach as it was',
    async run(person) {
      const { page } = person
      await runAgain(page)
      await page.getByText(/^\d+ flavors? of vanilla$/).click()
      await button(page, 'New flavor of vanilla').click()
      const form = page.getByRole('form', { name: 'New flavor of vanilla' })
      await person.type(form.getByLabel('Chunks handed over'), '10')
      await form.getByRole('button', { name: 'Save flavor' }).click()
      await expect(form).toBeHidden()
      await expect(page.getByRole('checkbox', { name: /^vanilla-rag-k-10/ })).toBeChecked()
      await button(page, /^Run [\d\s]+ answers$/).click()
      return landOnVerdict(page)
    },
  },
  {
    id: 'export-page',
    what: 'Send a result to a person without the program: one HTML page',
    async run({ page }) {
      await button(page, 'Share').click()
      const download = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: 'Report, HTML' }).click()
      return (await download).suggestedFilename()
    },
  },
  {
    id: 'export-cells',
    what: 'Take all answers and scores to a spreadsheet: CSV with a line per cell',
    async run({ page }) {
      await button(page, 'Share').click()
      const download = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: 'Answers, CSV: one line per question and approach' }).click()
      return (await download).suggestedFilename()
    },
  },
  {
    id: 'judge',
    what: 'Have the answers of a finished run graded by a blinded panel',
    async run({ page }) {
      await goToJudges(page)
      await button(page, 'Judge answers…').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Judge answers' }).click()
      const step = page.locator('[data-step=judge][data-state=done]')
      await expect(step).toBeVisible({ timeout: LONG_MS })
      await expect(page.getByText('● completed').first()).toBeVisible({ timeout: LONG_MS })
      return shown(step.innerText())
    },
  },
  {
    id: 'vote',
    what: 'Grade the answers to a question myself, without names, and see how far I agree with the judges',
    async run(person) {
      const { page } = person
      await goToJudges(page)
      await button(page, 'Grade blindly…').click()
      await button(page, 'Start round').click()
      const answers = page.getByRole('group', { name: /^Answer / })
      await expect(answers.first()).toBeVisible()
      const count = await answers.count()
      for (let answer = 0; answer < count; answer += 1) await person.press(String(1 + (answer % 5)))
      await expect(page.getByText('● Saved')).toBeVisible()
      await button(page, 'Reveal approaches…').click()
      await button(page, 'Reveal and end the vote').click()
      await expect(page.getByRole('region', { name: 'Scores by approach' })).toBeVisible()
      return shown(page.getByText(/person voted on/).innerText())
    },
  },
  {
    id: 'convert',
    what: 'See what the program reads of a PDF, beside the original',
    async run(person) {
      const { page } = person
      await goTo(page, 'Tools')
      const pdf = (await harbourPapers()).find(({ name }) => name === 'annual-report.pdf')!
      await person.drop(page.getByText('Drop files here'), [pdf])
      await expect(
        main(page)
          .getByText(/61 thousand tonnes of timber/)
          .first(),
      ).toBeVisible({ timeout: LONG_MS })
      await expect(page.getByRole('img', { name: /^Page 1 of/ })).toBeVisible({ timeout: LONG_MS })
      return 'text and page beside each other'
    },
  },
  {
    id: 'transcribe',
    what: 'Have a recording transcribed',
    async run(person) {
      const { page } = person
      await goTo(page, 'Tools')
      await page.getByRole('navigation', { name: 'Tools' }).getByRole('link', { name: 'Audio' }).click()
      const recording = (await harbourPapers()).find(({ name }) => name === 'phone-call.wav')!
      await person.drop(page.getByText(/^Drop a recording here/), [recording])
      await expect(button(page, 'Copy as text')).toBeVisible({ timeout: LONG_MS })
      return shown(
        main(page)
          .getByText(/bread|loaves|week/)
          .first()
          .innerText(),
      )
    },
  },
  {
    id: 'graph',
    what: 'Look at the knowledge graph of a dataset and at one of its entities',
    async run(person) {
      const { page } = person
      await goTo(page, 'Datasets')
      // Home, which the click leaves, has tables with the same links.
      await expect(page.getByRole('heading', { name: 'Datasets', level: 1 })).toBeVisible()
      await page.getByRole('table').getByRole('link', { name: 'Curated baseline', exact: true }).click()
      await page.getByText('Graph', { exact: true }).click()
      await page.getByText('Table', { exact: true }).click()
      await page.getByRole('table', { name: 'Entities' }).getByRole('rowheader').first().getByRole('button').click()
      return shown(page.getByRole('region', { name: 'Entity' }).innerText())
    },
  },
]
