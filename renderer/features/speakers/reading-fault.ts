import { ServiceCallError } from '../../data/service-call.ts'

/** Whether sending the same recording once more would fail the same way: not where the service was busy or away. */
export const isOfTheRecording = (error: Error): boolean =>
  error instanceof ServiceCallError && error.status < 500 && ![408, 429].includes(error.status)
