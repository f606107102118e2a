import { expect, it } from 'vitest'
import { openOnDevice, type Provider } from './onnx-device.ts'

it('asks ONNX Runtime for CoreML where mps is wanted, and says nothing where it opens', async () => {
  const asked: Provider[] = []
  const opened = await openOnDevice('mps', async (provider) => {
    asked.push(provider)
    return provider
  })
  expect(opened).toEqual({ model: 'coreml', device: 'mps', note: null })
  expect(asked).toEqual(['coreml'])
})

it.each([
  ['mps', 'coreml'],
  ['cuda', 'cuda'],
] as const)('opens on the processor where %s fails, and reports device and reason', async (wanted, provider) => {
  const asked: Provider[] = []
  const opened = await openOnDevice(wanted, async (one) => {
    asked.push(one)
    if (one !== 'cpu') throw new Error('the provider is not in this build')
    return one
  })
  expect(asked).toEqual([provider, 'cpu'])
  expect(opened).toMatchObject({ model: 'cpu', device: 'cpu' })
  expect(opened.note).toContain('the provider is not in this build')
})

it('fails with the reason of the processor where that cannot open the model either', async () => {
  const broken = async (provider: Provider): Promise<never> => {
    throw new Error(`broken on ${provider}`)
  }
  await expect(openOnDevice('mps', broken)).rejects.toThrow('broken on cpu')
})
