import { describe, expect, it } from 'vitest'
import { RunState } from '../../contract/control/run-job.ts'
import { RUN_SIGNS, runStateWords, stateWord } from './run-state.ts'

const cells = { total: 144, done: 72, failed: 0 }

describe('runStateWords', () => {
  it('describes every state of a run with a sign and different words', () => {
    const words = RunState.options.map(
      (state) => `${RUN_SIGNS[state]} ${runStateWords({ state, cells, failures: [] })}`,
    )
    expect(new Set(words).size).toBe(RunState.options.length)
  })

  it('reports how far a cancelled, paused or interrupted run got', () => {
    expect(runStateWords({ state: 'cancelled', cells, failures: [] })).toBe('was cancelled after 72 of 144 answers')
    expect(runStateWords({ state: 'paused', cells, failures: [] })).toBe('is paused after 72 of 144 answers')
    expect(runStateWords({ state: 'interrupted', cells: null, failures: [] })).toBe(
      'was interrupted before its first answer: the engine stopped',
    )
  })

  it('calls a run whose only failures are answers failed in part', () => {
    const answers = { dataset_id: 'smoke', step: 'check_cells' as const, code: 'cells_failed', message: '2 cells' }
    const service = { ...answers, step: 'start' as const, code: 'service_failed' }
    expect(stateWord({ state: 'failed', failures: [answers] })).toBe('failed in part')
    expect(stateWord({ state: 'failed', failures: [answers, service] })).toBe('failed')
    expect(stateWord({ state: 'failed', failures: [] })).toBe('failed')
    expect(runStateWords({ state: 'failed', cells, failures: [answers] })).toBe(
      'failed in part. Check answers, smoke: 2 cells',
    )
  })

  it('names a missing model once, in the words of the form, and cuts no sentence in two', () => {
    const why =
      "graph-rag, agentic-rag, workflow-adaptive-rag cannot answer: the graph of tarn_papers could not be built: the graph engine failed on 4 of 4 documents; ferrier.txt: chunk 1 of 1: the extraction model's reply cannot be used: the reply holds no JSON object"
    const message = `${why}. To measure them too, choose another model for graph_extract and start a new run`
    const failures = [{ dataset_id: 'tarn_papers', step: null, code: 'graph_missing', message }]
    expect(runStateWords({ state: 'failed', cells: null, failures })).toBe(
      `failed. tarn_papers: ${why}. To measure them too, choose another model that extracts the graph and start a new run`,
    )
    const long = [{ ...failures[0]!, message: 'A sentence of words. '.repeat(30) }]
    expect(runStateWords({ state: 'failed', cells: null, failures: long })).toMatch(/of words\. …$/)
  })

  it('reports where and why a run failed, in one line', () => {
    const failures = [
      {
        dataset_id: 'smoke',
        step: 'start' as const,
        code: 'service_failed',
        message: 'OPENAI_API_KEY is missing\nmore',
      },
      { dataset_id: 'two', step: 'start' as const, code: 'service_failed', message: 'x' },
    ]
    expect(runStateWords({ state: 'failed', cells: null, failures })).toBe(
      'failed. Start services, smoke: OPENAI_API_KEY is missing (and 1 more)',
    )
  })
})
