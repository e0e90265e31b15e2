// Measures on the agent that is gated, one run of a branch at a time.
pipeline {
    agent { label 'storage' }
    options {
        disableConcurrentBuilds()
        timeout(time: 1, unit: 'HOURS')
    }
    stages {
        stage('storage') {
            steps {
                sh 'rm -rf storage'
                sh 'iogate run iogate.yaml --output storage --wait 30m'
            }
        }
    }
    post {
        always {
            junit testResults: 'storage/junit.xml', allowEmptyResults: true
            archiveArtifacts artifacts: 'storage/**', allowEmptyArchive: true
        }
    }
}
