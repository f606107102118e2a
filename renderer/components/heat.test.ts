import { describe, expect, it } from 'vitest'
import { differenceDomain, heat, heatDomain, heatOf } from './heat.ts'

describe('heat', () => {
  it('has readable ink on each end of the scale', () => {
    expect(heat(0)).toEqual({ background: 'rgb(0 34 78)', ink: '#ffffff' })
    expect(heat(1)).toEqual({ background: 'rgb(254 232 56)', ink: '#000000' })
    expect(heat(7)).toEqual(heat(1))
  })
})

describe('differences', () => {
  const scores = differenceDomain(heatDomain('faithfulness', 0), 'light')
  const latency = differenceDomain(heatDomain('latency_ms', 1000), 'light')

  it('are coloured around 0, the better side alike for scores and latency', () => {
    expect(scores).toEqual({ worst: -0.5, best: 0.5, diverging: 'light' })
    expect(latency).toEqual({ worst: 1000, best: -1000, diverging: 'light' })
    expect(heatOf(0.5, scores)).toEqual(heatOf(-1000, latency))
    expect(heatOf(0, scores)).toEqual({ background: 'rgb(246 247 249)', ink: '#000000' })
  })
})
