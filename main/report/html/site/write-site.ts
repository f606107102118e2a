import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

/** Writes `index.html` and a page for each run of the results into a folder; pages of other runs that it has stay. */
export async function writeSite(
  results: ResultsFolder,
  folder: string,
): Promise<{ runs: string[]; unusable: UnusableFile[] }> {
  const runs: SiteRun[] = []
  const unusable = new Map(results.unusable.map((each) => [each.file, each]))
  for (const runId of runsIn(results)) {
    const file = join(folder, runPage(runId))
    await mkdir(dirname(file), { recursive: true })
    const report = await ladderReportOf({ ...results, unusable: [] }, runId, dirname(file))
    for (const each of report.unusable) unusable.set(each.file, each)
    if (report.aggregates.length === 0) continue
    await writeAtomic(file, await ladderPage(report))
    runs.push({ runId, aggregates: report.aggregates })
  }
  const all = [...unusable.values()]
  await mkdir(folder, { recursive: true })
  await writeAtomic(join(folder, 'index.html'), siteIndex(runs, all))
  return { runs: runs.map(({ runId }) => runId), unusable: all }
}
