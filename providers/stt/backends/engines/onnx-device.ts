import { messageOf } from '../../../../core/json.ts'
import type { Device } from '../recognizer.ts'
import { processorInstead, type WantedDevice } from './engine.ts'

/** The runtime's name of what runs on a device. */
const PROVIDERS = { cpu: 'cpu', cuda: 'cuda', mps: 'coreml' } as const satisfies Record<Device, string>
export type Provider = (typeof PROVIDERS)[Device]

/**
 * Opens a model on the wanted device, else on the processor, and returns which it became. `auto` is Apple's graphics part where there is one: CUDA
 * needs libraries that are not in the installation, so it must be asked for.
 */
export async function openOnDevice<Model>(
  wanted: WantedDevice,
  open: (provider: Provider) => Promise<Model>,
): Promise<{ model: Model; device: Device; note: string | null }> {
  const isApple = process.platform === 'darwin' && process.arch === 'arm64'
  const first: Device = wanted === 'auto' ? (isApple ? 'mps' : 'cpu') : wanted
  if (first === 'cpu') return { model: await open('cpu'), device: 'cpu', note: null }
  try {
    return { model: await open(PROVIDERS[first]), device: first, note: null }
  } catch (cause) {
    const reason = messageOf(cause)
    return { model: await open('cpu'), device: 'cpu', note: processorInstead(first, reason) }
  }
}
