import { TransportProvider } from '@connectrpc/connect-query'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.js'
import { changeSession } from './api/session.js'
import { createTransport } from './api/transport.js'
import { WordsProvider } from './i18n/words.js'
import { router } from './routes.js'
import { applyStoredTheme } from './shell/shell.js'
import { SignInGate } from './shell/sign-in.js'
import './tokens.css'
import './controls.css'

applyStoredTheme()
const transport = createTransport(() => changeSession(queryClient, null))

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <WordsProvider>
      <QueryClientProvider client={queryClient}>
        <TransportProvider transport={transport}>
          <SignInGate>
            <RouterProvider router={router} />
          </SignInGate>
        </TransportProvider>
      </QueryClientProvider>
    </WordsProvider>
  </StrictMode>,
)
