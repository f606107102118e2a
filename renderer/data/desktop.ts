import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { DesktopBridge, DesktopInfo } from '../../contract/desktop.ts'

/** The desktop app around this page; null in a browser. */
export const desktop = (globalThis as { ragLadderDesktop?: DesktopBridge }).ragLadderDesktop ?? null

export const DESKTOP_KEY = ['desktop']

/** Returns what the desktop app reports about itself; without data in a browser. */
export function useDesktopInfo(): UseQueryResult<DesktopInfo> {
  return useQuery({ queryKey: DESKTOP_KEY, queryFn: () => desktop!.describe(), enabled: desktop !== null })
}
