import { expect, it } from 'vitest'
import { spectrogramLevels } from './spectrogram-levels.ts'

it('is dark at the frequency of a tone and nowhere else', () => {
  const sampleRate = 16_000
  const samples = Float32Array.from({ length: sampleRate }, (_, i) => Math.sin((2 * Math.PI * 2000 * i) / sampleRate))
  const columns = spectrogramLevels({ samples, sampleRate }, 20, 64, 8000)
  expect(columns).toHaveLength(20)
  for (const column of columns) {
    expect(column[16]).toBeGreaterThan(0.95)
    expect(column[4]).toBe(0)
    expect(column[50]).toBe(0)
  }
})
