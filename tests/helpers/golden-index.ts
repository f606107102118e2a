import { answerQuery, newContext, type QueryResult, type QueryName } from '../../main/run-index/queries/answer-query.ts'
import { readAggregate } from '../../main/report/publication/write-artifacts.ts'
import { writeRun } from './report-project.ts'
import { fixtureDataset, goldenJudgments, goldenRows, REPORT_RUN } from './report-rows.ts'
import { indexFolders, openIndex, type OpenedIndex } from './run-index.ts'

/** The dataset, rows and aliases of the run that `goldenIndex` holds. */
export const dataset = fixtureDataset('alpha', 'Alpha', 1)
export const rows = goldenRows(dataset)
export const ALIASES = ['vanilla-rag', 'hybrid-rag', 'hybrid-rag-fast', 'graph-rag']
export const run = { run_id: REPORT_RUN, dataset_id: 'alpha' }

/** Asks an index as its reader threads do. */
export function asker({ db }: OpenedIndex) {
  const context = newContext([])
  return <Name extends QueryName>(name: Name, input: unknown = {}): QueryResult<Name> =>
    answerQuery(db, name, input, context) as QueryResult<Name>
}

/** An index of one judged run with its aggregate, gone with the test. */
export async function goldenIndex() {
  const folders = await indexFolders()
  const { files } = await writeRun(folders.results, dataset, goldenJudgments(dataset))
  const index = openIndex(folders)
  await index.sync()
  const aggregate = (await readAggregate(files.evaluation))!
  return { folders, files, index, aggregate, ask: asker(index) }
}
