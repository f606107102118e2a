import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { loadExperiment, type Experiment } from '../../manifests/experiment.ts'
import { chooseSettings, roundsOf, survivors } from './choose-settings.ts'
import { readSpace, settingProblem } from './search-space.ts'

let experiment: Experiment
beforeAll(async () => {
  experiment = await loadExperiment(PROJECT_ROOT)
})

const spaceOf = (alias: string, answers = false) => ({
  alias: experiment.aliases.get(alias)!,
  values: experiment.aliases.get(alias)!.flavor.parameters as Record<string, never>,
  profile: experiment.datasets.find(({ dataset }) => dataset.id === 'smoke')!.profile,
  answers,
})
const read = (alias: string, assignments: string[], answers = false) => readSpace(assignments, spaceOf(alias, answers))

describe('readSpace', () => {
  it('reads lists, ranges with a step and ranges to draw from, with the value of the alias as it is', async () => {
    const [alpha, rerank, pool, size] = await read('hybrid-rag', [
      'alpha=0:1:0.25',
      'rerank=true,false',
      'retrieve_k=10:80',
      'chunk_size=400',
    ])
    expect(alpha).toMatchObject({ standard: 0.5, values: [0, 0.25, 0.5, 0.75, 1], between: null })
    expect(rerank).toMatchObject({ standard: true, values: [true, false] })
    expect(pool).toMatchObject({ standard: 20, values: [], between: [10, 80], isWhole: true })
    expect(size).toMatchObject({ standard: 800, values: [400] })
  })

  it('reads texts from files where answers are written, and refuses them where none is', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'a.txt'), 'Answer in one word.\n')
    const assignment = `instructions=@${join(folder, 'a.txt')}`
    expect((await read('hybrid-rag', [assignment], true))[0]!.values).toEqual(['Answer in one word.'])
    await expect(read('hybrid-rag', [assignment])).rejects.toThrow('add --answers')
  })

  it.each([
    ['top_n=1,2', 'as many passages as --context-budget holds'],
    ['alpah=0', 'did you mean alpha?'],
    ['alpha=2', 'expected values from 0 to 1'],
    ['alpha=1:0:0.1', 'expected FROM:TO'],
    ['alpha=a', 'expected numbers, got a'],
    ['retrieve_k=1.5', 'expected whole numbers'],
    ['rerank=maybe', 'expected true or false'],
    ['alpha=0.5,0.5', 'listed twice'],
    ['alpha=', 'name its values'],
    ['instructions=@/no/such/file', 'add --answers'],
  ])('refuses %s by name', async (assignment, problem) => {
    await expect(read('hybrid-rag', [assignment])).rejects.toThrow(problem)
  })

  it('names every problem at once, and what can be tuned where nothing is named', async () => {
    await expect(read('hybrid-rag', ['alpha=2', 'top_n=3'])).rejects.toThrow(/alpha[^]*top_n/)
    await expect(read('hybrid-rag', [])).rejects.toThrow('retrieve_k, alpha, rerank')
    await expect(read('graph-rag', ['chunk_size=400'])).rejects.toThrow('chunk_size is no parameter of graph-rag')
    await expect(read('workflow-adaptive-rag', ['alpha=0'])).rejects.toThrow('is no parameter')
  })

  it('tunes the settings of an own approach', async () => {
    const own = {
      alias: 'mine',
      base: 'own-approach',
      flavor: { parameters: { kind: 'retriever', k: 5, settings: { depth: 2, weight: 0.5, mode: 'near' } } },
    } as unknown as Alias
    const dimensions = await readSpace(['depth=1:3:1', 'mode=near,far', 'k=5,9'], {
      ...spaceOf('hybrid-rag'),
      alias: own,
    })
    expect(dimensions.map(({ values }) => values)).toEqual([
      [1, 2, 3],
      ['near', 'far'],
      [5, 9],
    ])
  })
})

describe('chooseSettings', () => {
  const choose = async (assignments: string[], choice: Partial<Parameters<typeof chooseSettings>[1]>) => {
    const space = spaceOf('hybrid-rag')
    const dimensions = await readSpace(assignments, space)
    const problemOf = (setting: Parameters<typeof settingProblem>[0]) => settingProblem(setting, space)
    return chooseSettings(dimensions, { search: 'grid', trials: null, seed: '1', problemOf, ...choice })
  }

  it('begins with the alias as it is, which no combination repeats', async () => {
    const settings = await choose(['alpha=0,0.5,1', 'rerank=true,false'], {})
    expect(settings).toHaveLength(6)
    expect(settings[0]).toEqual({ alpha: 0.5, rerank: true })
    expect(new Set(settings.map((setting) => JSON.stringify(setting))).size).toBe(6)
  })

  it('leaves out combinations that cannot be, and says why where none is left', async () => {
    const settings = await choose(['chunk_size=100,400', 'overlap=50,200'], {})
    expect(settings.slice(1)).toEqual([
      { chunk_size: 100, overlap: 50 },
      { chunk_size: 400, overlap: 50 },
      { chunk_size: 400, overlap: 200 },
    ])
    await expect(choose(['chunk_size=50'], {})).rejects.toThrow('overlap must be less than chunk_size')
  })

  it('draws each setting once, the same for the same seed', async () => {
    const drawn = { search: 'random', trials: 20 } as const
    const settings = await choose(['alpha=0:1', 'retrieve_k=5:100'], drawn)
    expect(settings).toHaveLength(21)
    expect(await choose(['alpha=0:1', 'retrieve_k=5:100'], drawn)).toEqual(settings)
    expect(await choose(['alpha=0:1', 'retrieve_k=5:100'], { ...drawn, seed: '2' })).not.toEqual(settings)
    for (const { alpha, retrieve_k: k } of settings as { alpha: number; retrieve_k: number }[]) {
      expect(alpha).toBeGreaterThanOrEqual(0)
      expect(alpha).toBeLessThanOrEqual(1)
      expect(Number.isInteger(k)).toBe(true)
    }
    expect(await choose(['rerank=true,false'], drawn)).toHaveLength(2)
  })

  it('refuses a grid over a range without a step, a number of trials for a grid, and a search that lacks one', async () => {
    await expect(choose(['alpha=0:1'], {})).rejects.toThrow('a grid needs a step')
    await expect(choose(['alpha=0,1'], { trials: 3 })).rejects.toThrow('a grid tries every combination')
    await expect(choose(['alpha=0:1'], { search: 'random' })).rejects.toThrow('--trials: name how many')
    await expect(choose(['alpha=0:1:0.01', 'retrieve_k=1:200:1'], {})).rejects.toThrow('at most 1000 are tried')
  })

  it('names fields of the page in the panel', async () => {
    nameButtonsInRemedies()
    onTestFinished(() => nameButtonsInRemedies(false))
    await expect(choose(['alpha=0,1'], { trials: 3 })).rejects.toThrow(
      'Settings to try: a grid tries every combination',
    )
    await expect(choose(['alpha=0:1'], { search: 'random' })).rejects.toThrow('Settings to try: name how many')
    await expect(read('hybrid-rag', ['top_n=1,2'])).rejects.toThrow('as many passages as the context budget holds')
  })
})

describe('successive halving', () => {
  const questions = Array.from({ length: 162 }, (_, at) => ({ id: `q${at}`, cluster: `c${at >> 1}` }))

  it('asks three times as many questions in each round, whole clusters in a row, all of them in the end', () => {
    const rounds = roundsOf(questions, { search: 'halving', seed: '1', settings: 28 })
    expect(rounds.map(({ length }) => length)).toEqual([18, 36, 108])
    expect(new Set(rounds.flat()).size).toBe(162)
    expect(
      rounds[0]!.filter((id, at) => at % 2 === 0 && Number(id.slice(1)) + 1 !== Number(rounds[0]![at + 1]!.slice(1))),
    ).toEqual([])
    expect(roundsOf(questions, { search: 'grid', seed: '1', settings: 28 })).toHaveLength(1)
  })

  it('begins with no fewer than 16 questions', () => {
    const few = roundsOf(questions.slice(0, 40), { search: 'halving', seed: '1', settings: 900 })
    expect(few).toHaveLength(1)
  })

  it('keeps the best third and the alias as it is', () => {
    const means = new Map([
      [0, 0.1],
      [1, 0.3],
      [2, 0.9],
      [3, 0.5],
      [4, 0.2],
      [5, 0.5],
      [6, 0.4],
    ])
    expect(survivors([0, 1, 2, 3, 4, 5, 6], means)).toEqual([0, 2, 3])
  })
})
