import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { writeAtomic } from '../../../lib/files/write-atomic.ts'
import { ladderPage } from '../ladder-page.ts'
import { ladderReportOf, runsIn } from '../../publication/folder-summaries.ts'
import type { ResultsFolder, UnusableFile } from '../../publication/results-folder.ts'
import { runPage, siteIndex, type SiteRun } from './site-index.ts'

/** The title of the first page, by which a site is recognized. */
const TITLE = '<title>RAG Ladder: all runs</title>'

/** Returns true when a folder may hold a site: its first page is missing, or one that was written here. */
export async function canHoldSite(folder: string): Promise<boolean> {
  try {
    return (await readFile(join(folder, 'index.html'), 'utf8')).includes(TITLE)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    throw error
  }
}

/**
 * Writes `index.html` and a page for each run of the results into a folder; pages of other runs that it has stay. `check` gets each page with its name
 * before any is written, and throws for one that must not be given to others.
 */
export async function writeSite(
  results: ResultsFolder,
  folder: string,
  check: (page: string, name: string) => void,
): Promise<{ runs: string[]; unusable: UnusableFile[] }> {
  const runs: SiteRun[] = []
  const pages: [file: string, page: string][] = []
  const unusable = new Map(results.unusable.map((each) => [each.file, each]))
  for (const runId of runsIn(results)) {
    const file = join(folder, runPage(runId))
    const report = await ladderReportOf({ ...results, unusable: [] }, runId, dirname(file))
    for (const each of report.unusable) unusable.set(each.file, each)
    if (report.aggregates.length === 0) continue
    pages.push([file, await ladderPage(report)])
    runs.push({ runId, aggregates: report.aggregates })
  }
  const all = [...unusable.values()]
  // The first page is the last one that is written: until then it names no page that is missing.
  pages.push([join(folder, 'index.html'), siteIndex(runs, all)])
  for (const [file, page] of pages) check(page, relative(folder, file))
  for (const [file, page] of pages) {
    await mkdir(dirname(file), { recursive: true })
    await writeAtomic(file, page)
  }
  return { runs: runs.map(({ runId }) => runId), unusable: all }
}
