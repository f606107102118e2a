import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryClient } from '../data/query-client.ts'
import { usePreferences } from '../stores/preferences.ts'
import { router } from './router.tsx'
import { theme } from './theme.ts'

/** Everything around the pages. */
export function App() {
  const density = usePreferences((state) => state.density)
  useEffect(() => {
    document.documentElement.dataset.density = density
  }, [density])
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <Notifications position="top-right" limit={3} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
