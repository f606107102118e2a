import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadExperiment } from '../manifests/experiment.ts'
import { selectDatasets } from '../manifests/selection.ts'
import { artifactFiles } from '../report/artifact-files.ts'
import { announceReset } from './announce-reset.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'

const datasets = selectDatasets(await loadExperiment(PROJECT_ROOT), ['baseline_curated', 'graph_native'])
let resultsDir: string
beforeEach(async () => {
  resultsDir = await mkdtemp(join(tmpdir(), 'reset-'))
})
afterEach(() => rm(resultsDir, { recursive: true }))

const store = (id: string, text: string): Promise<void> => writeFile(artifactFiles(resultsDir, 'r', id).evidence, text)

async function announce(isOrdered: boolean, answer: string | null): Promise<{ told: string[]; asked: string[] }> {
  const heard = { told: [] as string[], asked: [] as string[] }
  const ask = async (text: string): Promise<string> => {
    heard.asked.push(text)
    return answer ?? ''
  }
  const tell = (message: string): void => void heard.told.push(message)
  await announceReset(
    { datasets, resultsDir, runId: 'r', fileOverrides: {} },
    isOrdered,
    answer === null ? null : ask,
    tell,
  )
  return heard
}

describe('announceReset', () => {
  it('has nothing to say where nothing would be lost', async () => {
    expect(await announce(false, null)).toEqual({ told: [], asked: [] })
  })

  it('tells what is deleted where it was ordered, or nobody can be asked', async () => {
    await store('baseline_curated', '{}\n{}\n')
    await store('graph_native', '{}\ntorn')
    const told = [
      expect.stringMatching(/^the cold reset deletes 3 finished cells of run r, .*--no-cold-reset keeps them/),
    ]
    expect(await announce(true, 'y')).toEqual({ told, asked: [] })
    expect(await announce(false, null)).toEqual({ told, asked: [] })
  })

  it('asks otherwise, and stops unless the answer is yes', async () => {
    await store('graph_native', '{}\n')
    expect(await announce(false, 'Yes')).toEqual({
      told: [],
      asked: [expect.stringContaining('deletes 1 finished cell of run r')],
    })
    await expect(announce(false, '')).rejects.toThrow('nothing was deleted: give --no-cold-reset')
  })
})
