import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { harbourPapers, PAPER_QUESTIONS } from '../helpers/harbour-papers.ts'
import { musiqueQuestions } from '../helpers/musique-questions.ts'
import { dropIntoNewDataset, importQuestionSet, pasteQuestions, runToVerdict } from '../helpers/own-data-way.ts'
import { test } from '../helpers/panel-page.ts'
import { Person } from '../helpers/person.ts'

/** P22: from a folder of 20 files to a verdict. */
const MOST_SECONDS = 600

test.describe('in a fresh project', () => {
  test.use({ panelOptions: { own: true, empty: true } })
  test.setTimeout(MOST_SECONDS * 1000)

  test('twenty mixed files and eight questions with gold facts lead to the sentence of all approaches', async ({
    page,
    open,
  }) => {
    const papers = await harbourPapers()
    expect(papers).toHaveLength(20)
    const person = await Person.at(page)
    await open('/')
    person.begin()
    await dropIntoNewDataset(person, 'Harbour papers', papers)
    await pasteQuestions(person, PAPER_QUESTIONS)
    const verdict = await runToVerdict(person, { label: 'Harbour papers', approaches: 'All approaches', cells: 8 * 7 })
    const { clicks, seconds } = await person.effort()
    console.log(`20 files, 8 questions, 7 approaches: ${seconds.toFixed(1)} s, ${clicks} clicks`)
    // Eight questions on eight documents are as few as can be scored with intervals.
    expect(verdict).toMatch(
      /^Harbour papers .* 8 scored questions .*(leads|lead together|Top group: |No approach leads: |equivalent within|Every approach )/,
    )
    // The gold facts of Word, PDF, slides and the table were looked up in what ingestion reads of them.
    expect(verdict).toMatch(/highest on facts found, 1\.00|Every approach found everything/)
    expect(seconds).toBeLessThan(MOST_SECONDS)
    expect(clicks).toBeLessThanOrEqual(12)
  })

  test('fifty questions in the form of MuSiQue lead to the sentence of their result', async ({ page, open, panel }) => {
    const source = join(panel.root, 'musique_ans_v1.0_dev.jsonl')
    writeFileSync(source, musiqueQuestions(50))
    const person = await Person.at(page)
    await open('/datasets')
    person.begin()
    const summary = await importQuestionSet(person, source)
    expect(summary).toMatch(/^Read as MuSiQue: 50 of 50 questions, /)
    const approaches = ['bm25', 'vanilla-rag', 'hybrid-rag']
    const verdict = await runToVerdict(person, { label: 'musique_ans_v1.0_dev', approaches, cells: 50 * 3 })
    const { clicks, seconds } = await person.effort()
    console.log(`${summary}, ${approaches.length} approaches: ${seconds.toFixed(1)} s, ${clicks} clicks`)
    expect(verdict).toMatch(/^musique_ans_v1\.0_dev .* 50 scored questions /)
  })
})
