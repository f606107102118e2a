import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { rowId } from './row-id.ts'

const key = { run_id: 'run-1', dataset_id: 'baseline_curated', question_id: 'q1', model: 'vanilla-rag' }

describe('rowId', () => {
  it('is the SHA-256 of the compact sorted JSON', () => {
    const text =
      '{"dataset_id":"baseline_curated","model":"vanilla-rag","question_id":"q1","run_id":"run-1","schema_version":1}'
    expect(rowId(key)).toBe(hash('sha256', text))
    expect(canonicalJson({ ...key, schema_version: 1 })).toBe(text)
  })

  it('counts repetitions from the second on, so that the first stays what it was', () => {
    expect(rowId({ ...key, repeat: 1 })).toBe(rowId(key))
    const text = canonicalJson({ ...key, repeat: 3, schema_version: 1 })
    expect(rowId({ ...key, repeat: 3 })).toBe(hash('sha256', text))
    expect(new Set([1, 2, 3].map((repeat) => rowId({ ...key, repeat }))).size).toBe(3)
  })

  it('differs as soon as one part differs', () => {
    const ids = [key, ...Object.keys(key).map((name) => ({ ...key, [name]: 'other' }))].map(rowId)
    expect(new Set(ids).size).toBe(5)
  })
})
