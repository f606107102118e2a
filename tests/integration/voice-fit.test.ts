import { afterAll, describe, expect, it } from 'vitest'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { cloneFigures } from '../bench/speech.bench.ts'

describe('the cloning floor', () => {
  const engine = new FliteEngine()
  afterAll(() => engine.close())

  it.each([
    ['kal16', 1.15],
    ['slt', 0.85],
  ] as const)('speaks unseen texts as high as %s × %d and with its spectrum', async (voice, factor) => {
    const { clipF0, spokenF0, plainDistanceDb, fittedDistanceDb } = await cloneFigures(engine, voice, factor)
    expect(Math.abs(spokenF0 / clipF0 - 1)).toBeLessThan(0.05)
    expect(fittedDistanceDb / plainDistanceDb).toBeLessThanOrEqual(0.5)
  })
})
