import { notifications } from '@mantine/notifications'
import { controlErrorOf } from '../../contract/control/control-error.ts'

/** Reports that something did not work, and why. */
export function notifyFailure(what: string, error: unknown): void {
  notifications.show({ color: 'red', title: `${what} failed`, message: controlErrorOf(error).message, autoClose: 8000 })
}

/** Reports that something worked. */
export const notifyDone = (message: string): void => void notifications.show({ message, autoClose: 4000 })
