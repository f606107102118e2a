import { join } from 'node:path'

/** Files of a person's round on one dataset run, beside the run's other artifacts. */
export function humanFiles(resultsDir: string, runId: string, datasetId: string) {
  const file = (ending: string): string => join(resultsDir, `${runId}-${datasetId}-${ending}.json`)
  return {
    roundFile: file('human-round'),
    sealFile: file('human-seal'),
    /** Votes as the command line exchanges them. */
    votesFile: file('human-votes'),
    resultFile: file('human'),
  }
}

/** Folder of the ballots that the panel keeps, below the project's state folder. */
export const BALLOTS_FOLDER = 'judging'

/** Votes of the panel on one dataset run: as they were given, and as they were handed in when the round was revealed. */
export const ballotFiles = (folder: string, runId: string, datasetId: string) => ({
  ballotsFile: join(folder, `${runId}--${datasetId}.json`),
  handedInFile: join(folder, `${runId}--${datasetId}-votes.json`),
})
