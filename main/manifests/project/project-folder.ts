import { statSync } from 'node:fs'
import { join } from 'node:path'
import { CONSUMER_FILE } from '../experiment.ts'

/** Below the project: journals, settings, index, votes, and what the embedded platform keeps. */
export const STATE_FOLDER = '.rag-ladder'

/** Why a named project folder cannot be used; null when it exists. Nothing is ever created at such a path. */
export function missingFolder(folder: string): string | null {
  const info = statSync(folder, { throwIfNoEntry: false })
  if (info === undefined) return `--project: ${folder}: there is no such folder`
  return info.isDirectory() ? null : `--project: ${folder} is not a folder`
}

/** The same, and why a folder that is there holds no project; null when it holds one. */
export function projectProblem(folder: string): string | null {
  const missing = missingFolder(folder)
  if (missing !== null) return missing
  return statSync(join(folder, CONSUMER_FILE), { throwIfNoEntry: false }) === undefined
    ? `--project: ${folder} holds no ${CONSUMER_FILE}: name the folder of a project, or make one there with "rag-ladder init"`
    : null
}
