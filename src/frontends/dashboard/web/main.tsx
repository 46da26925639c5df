// The entry point of the dashboard's page.
import { render } from 'preact';
import { App } from './app-shell.tsx';
import { connect } from './dashboard-state.ts';

const root = document.getElementById('app');
if (root) render(<App />, root);
void connect();
